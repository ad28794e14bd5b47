import { CHANNEL_NAMES, type Outcome, TOLD_WAYS } from '../domain/delivery/delivery.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'
import { SOURCES } from '../domain/incident.ts'
import type { Signal } from '../domain/page.ts'
import { SEVERITY_LEVELS } from '../domain/severity.ts'
import { Counter, RateCounter } from './counters.ts'
import { Buckets, RecentHistogram } from './histogram.ts'
import { SharedNumbers } from './shared-numbers.ts'

/**
 * All counters of the service in shared memory. Each part has one writing thread; main reads all. Times are
 * milliseconds.
 */
export type Meters = ReturnType<typeof openMeters>
/** `buffer`: that of the meters of another thread. */
export function openMeters(now: () => number, buffer?: SharedArrayBuffer) {
  const numbers = new SharedNumbers(buffer)
  return {
    ingest: ingestMeters(numbers, now),
    journal: journalMeters(numbers, now),
    store: storeMeters(numbers, now),
    channels: record(CHANNEL_NAMES, () => channelMeters(numbers, now)),
    oncall: oncallMeters(numbers),
    agent: agentMeters(numbers),
    noise: noiseMeters(numbers),
    /** Pass it to `openMeters` on another thread. */
    buffer: numbers.buffer,
  }
}

const CODES = Object.keys(ERRORS) as ErrorCode[]

export type IngestMeters = ReturnType<typeof ingestMeters>
const ingestMeters = (numbers: SharedNumbers, now: () => number) => ({
  /** Incidents committed to disk. */
  accepted: record(SOURCES, () => new RateCounter(numbers, now)),
  /** Requests that repeated an Idempotency-Key. */
  duplicates: new Counter(numbers),
  /** Intake requests that were refused. */
  refused: record(CODES, () => new Counter(numbers)),
  /** Requests that were accepted with parameters that have no effect. */
  warned: new Counter(numbers),
  /** From posting a batch to the journal to its answer. */
  commitMs: new RecentHistogram(numbers, now),
  /** Incidents in one batch. */
  batch: new RecentHistogram(numbers, now),
})

/** Why a transaction of PostgreSQL is tried again. */
export const REPEAT_CAUSES = [
  'serialization',
  'deadlock',
  'lock_timeout',
  'statement_timeout',
  'too_many_connections',
  'connection_lost',
] as const

const journalMeters = (numbers: SharedNumbers, now: () => number) => ({
  /** One group: its write and its fdatasync. */
  appendMs: new RecentHistogram(numbers, now),
  failedAppends: new Counter(numbers),
  /** Places where committed frames are damaged or missing, as each opening of the journal finds them. */
  damaged: new Counter(numbers),
  /** Appends that were tried again; none where the journal is in files. */
  repeated: record(REPEAT_CAUSES, () => new Counter(numbers)),
})

export type StoreMeters = ReturnType<typeof storeMeters>
const storeMeters = (numbers: SharedNumbers, now: () => number) => ({
  /** One transaction, with its fsync if it has one. */
  writeMs: new RecentHistogram(numbers, now),
  failedWrites: new Counter(numbers),
  /** Transactions that were tried again; none where the database is a file. */
  repeated: record(REPEAT_CAUSES, () => new Counter(numbers)),
})

const OUTCOMES = ['sent', 'retry', 'failed', 'gone'] as const satisfies readonly Outcome['kind'][]
/** Bounds for the stages of one attempt. */
export const STAGE_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]
/** Bounds for the time from accepting to the provider's final answer, retries and outages included. */
export const CONFIRMED_MS = [...STAGE_MS.slice(2), 60_000, 300_000, 1_800_000]

/** Bounds for the time until an incident is told. */
export const TOLD_MS = [100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 1_800_000]

/** Bounds for the decisions of one transaction. */
export const DECIDE_MS = [0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000]

/** Bounds for the time until a person takes a problem. */
export const ACKNOWLEDGE_MS = [30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000, 3_600_000, 14_400_000]

export type ChannelMeters = ReturnType<typeof channelMeters>
const channelMeters = (numbers: SharedNumbers, now: () => number) => ({
  attempts: record(OUTCOMES, () => new Counter(numbers)),
  /** Deliveries that were sent. */
  sent: new RateCounter(numbers, now),
  /** Deliveries that were given up. */
  dead: new Counter(numbers),
  /** Attempts that failed and are tried again. */
  retried: new Counter(numbers),
  /** Attempts that went out as plain text because their template failed. */
  renderedPlain: new Counter(numbers),
  confirmedMs: new RecentHistogram(numbers, now),
  confirmedMsBySeverity: record(SEVERITY_LEVELS, () => new Buckets(numbers, CONFIRMED_MS)),
  renderMs: new Buckets(numbers, STAGE_MS),
  limiterWaitMs: new Buckets(numbers, STAGE_MS),
  providerMs: new Buckets(numbers, STAGE_MS),
})

/** Written by the store thread. */
export type NoiseMeters = ReturnType<typeof noiseMeters>
const noiseMeters = (numbers: SharedNumbers) => ({
  channels: record(CHANNEL_NAMES, () => toldMeters(numbers)),
  /** Incidents whose route leads nowhere. */
  nobody: new Counter(numbers),
  /** Deciding for all incidents that one transaction applies. */
  decideMs: new Buckets(numbers, DECIDE_MS),
  /** Incidents that a silence held. */
  silenced: new Counter(numbers),
  runs: {
    /** Steps of escalations by what became of them. */
    steps: record(['asked', 'no_person', 'floor'], () => new Counter(numbers)),
    /** From when a step was due until it asked. */
    stepLateMs: new Buckets(numbers, CONFIRMED_MS),
    /** From the beginning of a run to its first acknowledgement. */
    acknowledgeMs: new Buckets(numbers, ACKNOWLEDGE_MS),
  },
})

const toldMeters = (numbers: SharedNumbers) => ({
  /** From the commit of an incident to the provider's confirmation of the message that tells of it. */
  toldMs: record(SEVERITY_LEVELS, () => record(TOLD_WAYS, () => new Buckets(numbers, TOLD_MS))),
  /** Incidents that were told later than the bound of the destination. */
  late: record(SEVERITY_LEVELS, () => record(TOLD_WAYS, () => new Counter(numbers))),
  /** Incidents that got a place in a digest. */
  folded: new Counter(numbers),
  /** Repeats that got a place beside the first message of their problem. */
  repeated: new Counter(numbers),
  /** Incidents of problems that flap, which got a place beside the message about that. */
  flapped: new Counter(numbers),
  grouped: new Counter(numbers),
  /** Deliveries that were placed at the fallback of the channel. */
  fallbacks: new Counter(numbers),
  /** Revisions that the provider confirmed. */
  revisions: record(['digest', 'edit'], () => new Counter(numbers)),
})

const SIGNALS = ['trigger', 'acknowledge', 'resolve'] as const satisfies readonly Signal[]

/** Ways to people that senders count; those by the provider are its pages. */
const WAYS = [...CHANNEL_NAMES, 'gateway'] as const

export type OncallMeters = ReturnType<typeof oncallMeters>
const oncallMeters = (numbers: SharedNumbers) => ({
  /** Requests to the provider. */
  attempts: record(SIGNALS, () => record(OUTCOMES, () => new Counter(numbers))),
  /** Pages that the provider has. */
  paged: new Counter(numbers),
  /** Pages that were given up. */
  failed: new Counter(numbers),
  /** From when a page was due to the provider's answer. */
  lateMs: new Buckets(numbers, CONFIRMED_MS),
  /** Messages to people that were sent, or given up. */
  personal: record(WAYS, () => record(['sent', 'dead'], () => new Counter(numbers))),
})

export type AgentMeters = ReturnType<typeof agentMeters>
const agentMeters = (numbers: SharedNumbers) => ({
  /** Calls that the model answered. */
  answered: new Counter(numbers),
  /** Calls without an answer. */
  failed: new Counter(numbers),
  callMs: new Buckets(numbers, STAGE_MS),
})

function record<K extends string, T>(keys: readonly K[], make: () => T): Readonly<Record<K, T>> {
  return Object.fromEntries(keys.map((key) => [key, make()])) as Record<K, T>
}
