import { CHANNEL_NAMES, type ChannelName, type Outcome, TOLD_WAYS, type ToldWay } from '../domain/delivery.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'
import type { Signal } from '../domain/escalation.ts'
import { SOURCES, type Source } from '../domain/incident.ts'
import { SEVERITY_LEVELS, type SeverityLevel } from '../domain/severity.ts'
import { Counter, RateCounter } from './counters.ts'
import { Buckets, RecentHistogram } from './histogram.ts'
import { SharedNumbers } from './shared-numbers.ts'

/**
 * All counters of the service in shared memory. Each part has one writing thread; main reads all. Times are
 * milliseconds.
 */
export class Meters {
  readonly ingest: IngestMeters
  readonly journal: JournalMeters
  readonly store: StoreMeters
  readonly channels: Readonly<Record<ChannelName, ChannelMeters>>
  readonly noise: NoiseMeters
  readonly oncall: OncallMeters
  readonly agent: AgentMeters
  /** Pass it to `new Meters` on another thread. */
  readonly buffer: SharedArrayBuffer

  constructor(now: () => number, buffer?: SharedArrayBuffer) {
    const numbers = new SharedNumbers(buffer)
    this.buffer = numbers.buffer
    this.ingest = new IngestMeters(numbers, now)
    this.journal = new JournalMeters(numbers, now)
    this.store = new StoreMeters(numbers, now)
    this.channels = record(CHANNEL_NAMES, () => new ChannelMeters(numbers, now))
    this.oncall = new OncallMeters(numbers)
    this.agent = new AgentMeters(numbers)
    this.noise = new NoiseMeters(numbers)
  }
}

const CODES = Object.keys(ERRORS) as ErrorCode[]

export class IngestMeters {
  /** Incidents committed to disk. */
  readonly accepted: Readonly<Record<Source, RateCounter>>
  /** Requests that repeated an Idempotency-Key. */
  readonly duplicates: Counter
  /** Intake requests that were refused. */
  readonly refused: Readonly<Record<ErrorCode, Counter>>
  /** Requests that were accepted with parameters that have no effect. */
  readonly warned: Counter
  /** From posting a batch to the journal to its answer. */
  readonly commitMs: RecentHistogram
  /** Incidents in one batch. */
  readonly batch: RecentHistogram

  constructor(numbers: SharedNumbers, now: () => number) {
    this.accepted = record(SOURCES, () => new RateCounter(numbers, now))
    this.duplicates = new Counter(numbers)
    this.refused = record(CODES, () => new Counter(numbers))
    this.warned = new Counter(numbers)
    this.commitMs = new RecentHistogram(numbers, now)
    this.batch = new RecentHistogram(numbers, now)
  }
}

/** Why a transaction of PostgreSQL is tried again. */
export const REPEAT_CAUSES = [
  'serialization',
  'deadlock',
  'lock_timeout',
  'statement_timeout',
  'too_many_connections',
  'connection_lost',
] as const
type Repeats = Readonly<Record<(typeof REPEAT_CAUSES)[number], Counter>>

class JournalMeters {
  /** One group: its write and its fdatasync. */
  readonly appendMs: RecentHistogram
  readonly failedAppends: Counter
  /** Places where committed frames are damaged or missing, as each opening of the journal finds them. */
  readonly damaged: Counter
  /** Appends that were tried again; none where the journal is in files. */
  readonly repeated: Repeats

  constructor(numbers: SharedNumbers, now: () => number) {
    this.appendMs = new RecentHistogram(numbers, now)
    this.failedAppends = new Counter(numbers)
    this.damaged = new Counter(numbers)
    this.repeated = record(REPEAT_CAUSES, () => new Counter(numbers))
  }
}

export class StoreMeters {
  /** One transaction, with its fsync if it has one. */
  readonly writeMs: RecentHistogram
  readonly failedWrites: Counter
  /** Transactions that were tried again; none where the database is a file. */
  readonly repeated: Repeats

  constructor(numbers: SharedNumbers, now: () => number) {
    this.writeMs = new RecentHistogram(numbers, now)
    this.failedWrites = new Counter(numbers)
    this.repeated = record(REPEAT_CAUSES, () => new Counter(numbers))
  }
}

const OUTCOMES = ['sent', 'retry', 'failed', 'gone'] as const satisfies readonly Outcome['kind'][]
/** Bounds for the stages of one attempt. */
export const STAGE_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]
/** Bounds for the time from accepting to the provider's final answer, retries and outages included. */
export const CONFIRMED_MS = [...STAGE_MS.slice(2), 60_000, 300_000, 1_800_000]

/** Bounds for the time until an incident is told. */
export const TOLD_MS = [100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 1_800_000]

/** Bounds for the decisions of one transaction. */
export const DECIDE_MS = [0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000]

export class ChannelMeters {
  readonly attempts: Readonly<Record<Outcome['kind'], Counter>>
  /** Deliveries that were sent. */
  readonly sent: RateCounter
  /** Deliveries that were given up. */
  readonly dead: Counter
  /** Attempts that failed and are tried again. */
  readonly retried: Counter
  /** Attempts that went out as plain text because their template failed. */
  readonly renderedPlain: Counter
  readonly confirmedMs: RecentHistogram
  readonly confirmedMsBySeverity: Readonly<Record<SeverityLevel, Buckets>>
  readonly renderMs: Buckets
  readonly limiterWaitMs: Buckets
  readonly providerMs: Buckets

  constructor(numbers: SharedNumbers, now: () => number) {
    this.attempts = record(OUTCOMES, () => new Counter(numbers))
    this.sent = new RateCounter(numbers, now)
    this.dead = new Counter(numbers)
    this.retried = new Counter(numbers)
    this.renderedPlain = new Counter(numbers)
    this.confirmedMs = new RecentHistogram(numbers, now)
    this.confirmedMsBySeverity = record(SEVERITY_LEVELS, () => new Buckets(numbers, CONFIRMED_MS))
    this.renderMs = new Buckets(numbers, STAGE_MS)
    this.limiterWaitMs = new Buckets(numbers, STAGE_MS)
    this.providerMs = new Buckets(numbers, STAGE_MS)
  }
}

/** Written by the store thread. */
export class NoiseMeters {
  readonly channels: Readonly<Record<ChannelName, ToldMeters>>
  /** Incidents whose route leads nowhere. */
  readonly nobody: Counter
  /** Deciding for all incidents that one transaction applies. */
  readonly decideMs: Buckets
  /** Incidents that a silence held. */
  readonly silenced: Counter

  constructor(numbers: SharedNumbers) {
    this.channels = record(CHANNEL_NAMES, () => new ToldMeters(numbers))
    this.nobody = new Counter(numbers)
    this.decideMs = new Buckets(numbers, DECIDE_MS)
    this.silenced = new Counter(numbers)
  }
}

class ToldMeters {
  /** From the commit of an incident to the provider's confirmation of the message that tells of it. */
  readonly toldMs: Readonly<Record<SeverityLevel, Readonly<Record<ToldWay, Buckets>>>>
  /** Incidents that were told later than the bound of the destination. */
  readonly late: Readonly<Record<SeverityLevel, Readonly<Record<ToldWay, Counter>>>>
  /** Incidents that got a place in a digest. */
  readonly folded: Counter
  /** Repeats that got a place beside the first message of their problem. */
  readonly repeated: Counter
  /** Incidents of problems that flap, which got a place beside the message about that. */
  readonly flapped: Counter
  /** Deliveries that were placed at the fallback of the channel. */
  readonly fallbacks: Counter
  /** Revisions that the provider confirmed. */
  readonly revisions: Readonly<Record<Exclude<ToldWay, 'single'>, Counter>>

  constructor(numbers: SharedNumbers) {
    this.toldMs = record(SEVERITY_LEVELS, () => record(TOLD_WAYS, () => new Buckets(numbers, TOLD_MS)))
    this.late = record(SEVERITY_LEVELS, () => record(TOLD_WAYS, () => new Counter(numbers)))
    this.folded = new Counter(numbers)
    this.repeated = new Counter(numbers)
    this.flapped = new Counter(numbers)
    this.fallbacks = new Counter(numbers)
    this.revisions = record(['digest', 'edit'], () => new Counter(numbers))
  }
}

const SIGNALS = ['trigger', 'acknowledge', 'resolve'] as const satisfies readonly Signal[]

export class OncallMeters {
  /** Requests to the provider. */
  readonly attempts: Readonly<Record<Signal, Readonly<Record<Outcome['kind'], Counter>>>>
  /** Pages that the provider has. */
  readonly paged: Counter
  /** Pages that were given up. */
  readonly failed: Counter
  /** From when a page was due to the provider's answer. */
  readonly lateMs: Buckets

  constructor(numbers: SharedNumbers) {
    this.attempts = record(SIGNALS, () => record(OUTCOMES, () => new Counter(numbers)))
    this.paged = new Counter(numbers)
    this.failed = new Counter(numbers)
    this.lateMs = new Buckets(numbers, CONFIRMED_MS)
  }
}

export class AgentMeters {
  /** Calls that the model answered. */
  readonly answered: Counter
  /** Calls without an answer. */
  readonly failed: Counter
  readonly callMs: Buckets

  constructor(numbers: SharedNumbers) {
    this.answered = new Counter(numbers)
    this.failed = new Counter(numbers)
    this.callMs = new Buckets(numbers, STAGE_MS)
  }
}

function record<K extends string, T>(keys: readonly K[], make: () => T): Readonly<Record<K, T>> {
  return Object.fromEntries(keys.map((key) => [key, make()])) as Record<K, T>
}
