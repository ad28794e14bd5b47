import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertmanagerAlerts, payloadOf } from '../../test/harness/load/payload.ts'
import { generator } from '../load/closed-loop.ts'
import { threadColumns } from '../load/cpu-usage.ts'
import { measureFdatasync } from '../load/fdatasync.ts'
import { loadAndMeasure, type MeasuredLoad } from '../load/measured-load.ts'
import { type CaseOptions, figure, type Goal, measure, type Row, type Tables, type TrialOptions } from '../report.ts'
import { hasAlertmanager, startAlertmanager, startBaseline, startService } from '../servers/start.ts'

/**
 * Incidents that are on disk when they are answered, with no channel enabled, beside the bare front and beside
 * Alertmanager, which keeps alerts in memory.
 */
export const title = `ingest: accepted and committed incidents/s against a front that only parses and answers (${generator}, closed loop)`
const PEER_TITLE = 'ingest: 1 kB alerts/s against Alertmanager, which answers without writing to disk'
const THREADS_TITLE = 'ingest: CPU us per accepted incident, by thread'

const ORDINARY_BYTES = 1_000
const ROUNDS = 5
const MOST_P99_RATIO = 2.5
const LEAST_TIMES_ALERTMANAGER = 3

/**
 * Share of the bare front's rate that is promised, by connections and size. The bare front parses and writes nothing,
 * so the promise holds on a disk whose fdatasync takes less than 0.1 ms; on a slower one the figures say what is left.
 */
const LEAST_RATIO: readonly (Pick<Case, 'connections' | 'bytes'> & { readonly ratio: number })[] = [
  { connections: 64, bytes: ORDINARY_BYTES, ratio: 0.75 },
  { connections: 256, bytes: ORDINARY_BYTES, ratio: 0.9 },
  { connections: 1_024, bytes: ORDINARY_BYTES, ratio: 0.9 },
  { connections: 64, bytes: 300, ratio: 0.8 },
  { connections: 64, bytes: 16_000, ratio: 0.6 },
]

interface Case {
  readonly connections: number
  readonly bytes: number
  readonly rounds: number
  readonly seconds: number
  readonly against: readonly Subject[]
}
type Subject = 'service' | 'bare' | 'alertmanager'

type Samples = { readonly [subject in Subject]: MeasuredLoad[] }

const KINDS = {
  service: { start: () => startService(), path: '/api/incidents', body: (bytes: number): object => payloadOf(bytes) },
  bare: { start: startBaseline, path: '/api/incidents', body: (bytes: number): object => payloadOf(bytes) },
  alertmanager: { start: () => startAlertmanager(), path: '/api/v2/alerts', body: alertmanagerAlerts },
} as const

export function cases({ quick }: CaseOptions): Case[] {
  const peer: Subject[] = hasAlertmanager() ? ['bare', 'alertmanager'] : ['bare']
  if (quick) return [{ connections: 64, bytes: ORDINARY_BYTES, rounds: 1, seconds: 1, against: peer }]
  return [
    ...[16, 64, 256, 1_024].map(
      (connections): Case => ({
        connections,
        bytes: ORDINARY_BYTES,
        rounds: ROUNDS,
        seconds: 2,
        against: connections === 64 ? peer : ['bare'],
      }),
    ),
    ...[300, 16_000].map((bytes): Case => ({ connections: 64, bytes, rounds: ROUNDS, seconds: 2, against: ['bare'] })),
  ]
}

export const leftOut = () =>
  hasAlertmanager() ? '' : 'Alertmanager is not installed (Debian: prometheus-alertmanager)'

export async function run({ progress, scratch, curve }: TrialOptions, one: Case): Promise<Tables> {
  const samples: Samples = { service: [], bare: [], alertmanager: [] }
  const fdatasyncMs: number[] = []
  for (let round = 1; round <= one.rounds; round++) {
    fdatasyncMs.push(measureFdatasync(scratch))
    for (const subject of inTurn(['service', ...one.against], round)) {
      progress(`${one.bytes} B, ${one.connections} connections, round ${round} of ${one.rounds}: ${subject}`)
      samples[subject].push(await sample(subject, one, join(scratch, `${subject}-${one.bytes}.json`)))
    }
  }
  const plot = `ingest: answers to ${one.bytes} B, ${one.connections} connections, closed loop`
  for (const [name, taken] of Object.entries(samples)) {
    const points = taken.at(-1)?.curve
    if (points) curve({ plot, name, x: 'percentile', points })
  }
  const peer = samples.alertmanager.length > 0 ? { [PEER_TITLE]: [peerRow(one, samples)] } : {}
  return {
    [title]: [row(one, samples, fdatasyncMs)],
    ...peer,
    [THREADS_TITLE]: [{ ...label(one), ...threadColumns(samples.service) }],
  }
}

/** Turns the order around from round to round: neither side always runs on what the other one left. */
const inTurn = (subjects: readonly Subject[], round: number) => (round % 2 === 1 ? subjects : subjects.toReversed())

async function sample(
  subject: Subject,
  { connections, bytes, seconds }: Case,
  bodyFile: string,
): Promise<MeasuredLoad> {
  const { start, path, body } = KINDS[subject]
  writeFileSync(bodyFile, JSON.stringify(body(bytes)))
  const server = await start()
  try {
    const request = { url: `${server.url}${path}`, bodyFile, connections, seconds }
    // Alertmanager is compiled ahead of time: it needs no warm-up.
    return await loadAndMeasure(server, request, subject === 'alertmanager' ? 'cold' : 'warm')
  } finally {
    await server.stop()
  }
}

const label = ({ connections, bytes }: Case) => ({ connections, 'body kB': Math.round(bytes / 100) / 10 })

function row(one: Case, { service, bare }: Samples, fdatasyncMs: readonly number[]): Row {
  const promised = LEAST_RATIO.find(({ connections, bytes }) => connections === one.connections && bytes === one.bytes)
  return {
    ...label(one),
    'accepted/s': figure(service, 'perSecond', 0),
    'bare front/s': figure(bare, 'perSecond', 0),
    ratio: ratio(service, bare, promised && { atLeast: promised.ratio }),
    'p99 ms': figure(service, 'p99Ms', 1),
    'p99 ms bare': figure(bare, 'p99Ms', 1),
    'p99 ratio': measure(
      service.map(({ p99Ms }, at) => p99Ms / (bare[at]?.p99Ms ?? Number.NaN)),
      2,
      promised && { atMost: MOST_P99_RATIO },
    ),
    'CPU us/incident': figure(service, 'cpuMicros', 1),
    'CPU us bare': figure(bare, 'cpuMicros', 1),
    'fdatasync ms': measure(fdatasyncMs, 2),
    refused: service.reduce((sum, { refused }) => sum + refused, 0),
  }
}

function peerRow(one: Case, { service, alertmanager }: Samples): Row {
  return {
    ...label(one),
    'accepted/s': figure(service, 'perSecond', 0),
    'Alertmanager/s': figure(alertmanager, 'perSecond', 0),
    'times Alertmanager': ratio(service, alertmanager, { atLeast: LEAST_TIMES_ALERTMANAGER }),
    'p99 ms': figure(service, 'p99Ms', 1),
    'p99 ms Alertmanager': figure(alertmanager, 'p99Ms', 1),
    'CPU us/incident': figure(service, 'cpuMicros', 1),
    'CPU us Alertmanager': figure(alertmanager, 'cpuMicros', 1),
  }
}

/** Ratio within each round, so that a slow phase of the machine affects both. */
function ratio(ours: readonly MeasuredLoad[], theirs: readonly MeasuredLoad[], goal: Goal | undefined) {
  const ratios = ours.map(({ perSecond }, at) => perSecond / (theirs[at]?.perSecond ?? Number.NaN))
  return measure(ratios, 2, goal)
}
