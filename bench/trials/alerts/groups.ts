import { SECRET } from '../../../test/harness/net/requests.ts'
import { median } from '../../../test/harness/statistics.ts'
import { measure, type Tables, type TrialOptions } from '../../report.ts'
import { alertmanagerVersion } from '../../servers/start.ts'
import { postAlerts, sameAlerts } from './bodies.ts'
import { inTurn, ratios, START, type Subject } from './subjects.ts'

/** `GET /api/v2/alerts/groups`, one after the other, while 10,000 alerts fire. */
export interface GroupsCase {
  readonly reads: number
  readonly rounds: number
}

const FIRING = 10_000
const PER_REQUEST = 256
const MOST_RATIO = 2

export async function measureGroups({ progress }: TrialOptions, { reads, rounds }: GroupsCase): Promise<Tables> {
  const samples: { readonly [subject in Subject]: Sample[] } = { service: [], alertmanager: [] }
  for (let round = 1; round <= rounds; round++)
    for (const subject of inTurn(round)) {
      progress(`groups of ${FIRING} alerts, round ${round} of ${rounds}: ${subject}`)
      samples[subject].push(await sample(subject, reads))
    }
  const of = (subject: Subject, key: keyof Sample) => samples[subject].map((each) => each[key])
  const [service, alertmanager] = [of('service', 'ms'), of('alertmanager', 'ms')]
  return {
    [`alerts: GET /alerts/groups with ${FIRING} alerts that fire, beside Alertmanager ${alertmanagerVersion()}`]: [
      {
        reads,
        ms: measure(service, 1),
        'ms Alertmanager': measure(alertmanager, 1),
        ratio: measure(ratios(service, alertmanager), 2, { atMost: MOST_RATIO }),
        MB: measure(of('service', 'megabytes'), 0),
        'MB Alertmanager': measure(of('alertmanager', 'megabytes'), 0),
      },
    ],
  }
}

interface Sample {
  /** Median to the end of the answer. */
  readonly ms: number
  /** Memory of the whole process with all alerts, before the first read. */
  readonly megabytes: number
}

async function sample(subject: Subject, reads: number): Promise<Sample> {
  const server = await START[subject]()
  try {
    await postAlerts(server.url, sameAlerts(FIRING, PER_REQUEST))
    const megabytes = server.rssBytes() / 1e6
    const took: number[] = []
    // A quarter of the reads warms it up.
    for (let read = -Math.ceil(reads / 4); read < reads; read++) {
      const began = performance.now()
      const headers = { Authorization: `Bearer ${SECRET}` }
      const answer = await fetch(`${server.url}/api/v2/alerts/groups`, { headers })
      const text = await answer.text()
      if (read >= 0) took.push(performance.now() - began)
      const found = (JSON.parse(text) as { alerts: object[] }[]).reduce((sum, { alerts }) => sum + alerts.length, 0)
      if (found !== FIRING) throw new Error(`${subject}: ${answer.status} with ${found} alerts`)
    }
    return { ms: median(took), megabytes }
  } finally {
    await server.stop()
  }
}
