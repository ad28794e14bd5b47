import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generator } from '../../load/closed-loop.ts'
import { loadAndMeasure, type MeasuredLoad } from '../../load/measured-load.ts'
import { figure, measure, type Tables, type TrialOptions } from '../../report.ts'
import { alertmanagerVersion } from '../../servers/start.ts'
import { newAlerts, postAlerts, sameAlerts } from './bodies.ts'
import { inTurn, ratios, START, type Subject } from './subjects.ts'

/** Alerts posted from 64 connections: `new` ones are incidents, which the service has on disk when it answers. */
export interface AcceptCase {
  readonly alerts: 'new' | 're-sent'
  readonly perRequest: number
  readonly leastRatio: number
  readonly rounds: number
  readonly seconds: number
}

const CONNECTIONS = 64
/** Alerts that are sent again. */
const FIRING = 10_000
const MOST_P99_RATIO = 0.5

export async function measureAccept({ progress, scratch }: TrialOptions, one: AcceptCase): Promise<Tables> {
  const samples: { readonly [subject in Subject]: MeasuredLoad[] } = { service: [], alertmanager: [] }
  for (let round = 1; round <= one.rounds; round++)
    for (const subject of inTurn(round)) {
      progress(`${one.perRequest} ${one.alerts} a request, round ${round} of ${one.rounds}: ${subject}`)
      samples[subject].push(await sample(subject, one, join(scratch, `alerts-${subject}.json`)))
    }
  const { service, alertmanager } = samples
  const of = (field: 'perSecond' | 'p99Ms') =>
    ratios(
      service.map((each) => each[field]),
      alertmanager.map((each) => each[field]),
    )
  return {
    [`alerts: accepted alerts/s beside Alertmanager ${alertmanagerVersion()}, ${CONNECTIONS} connections (${generator}, closed loop)`]:
      [
        {
          alerts: one.alerts,
          'a request': one.perRequest,
          'alerts/s': figure(service.map(inAlerts(one)), 'perSecond', 0),
          'Alertmanager/s': figure(alertmanager.map(inAlerts(one)), 'perSecond', 0),
          ratio: measure(of('perSecond'), 2, { atLeast: one.leastRatio }),
          'p99 ms': figure(service, 'p99Ms', 1),
          'p99 ms Alertmanager': figure(alertmanager, 'p99Ms', 1),
          'p99 ratio': measure(of('p99Ms'), 2, { atMost: MOST_P99_RATIO }),
          'CPU us/alert': figure(service.map(inAlerts(one)), 'cpuMicros', 1),
          'CPU us Alertmanager': figure(alertmanager.map(inAlerts(one)), 'cpuMicros', 1),
          refused: service.reduce((sum, { refused }) => sum + refused, 0),
        },
      ],
  }
}

const inAlerts =
  ({ perRequest }: AcceptCase) =>
  ({ perSecond, cpuMicros }: MeasuredLoad) => ({
    perSecond: perSecond * perRequest,
    cpuMicros: cpuMicros / perRequest,
  })

async function sample(
  subject: Subject,
  { alerts, perRequest, seconds }: AcceptCase,
  bodyFile: string,
): Promise<MeasuredLoad> {
  const requests = alerts === 'new' ? [newAlerts(perRequest)] : sameAlerts(FIRING, perRequest)
  writeFileSync(bodyFile, requests.join('\n'))
  const server = await START[subject]()
  try {
    if (alerts === 're-sent') await postAlerts(server.url, requests)
    const request = { url: `${server.url}/api/v2/alerts`, bodyFile, connections: CONNECTIONS, seconds }
    // Alertmanager is compiled ahead of time: it needs no warm-up.
    return await loadAndMeasure(server, request, subject === 'alertmanager' ? 'cold' : 'warm')
  } finally {
    await server.stop()
  }
}
