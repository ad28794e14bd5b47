import { CHANNEL_NAMES, type ChannelName, type Outcome } from '../domain/delivery.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'
import type { Signal } from '../domain/escalation.ts'
import type { Source } from '../domain/incident.ts'
import { SEVERITY_LEVELS, type SeverityLevel } from '../domain/severity.ts'
import { Counter, RateCounter } from './counters.ts'
import { Buckets, RecentHistogram } from './histogram.ts'
import { SharedNumbers } from './shared-numbers.ts'

/** What the threads count, each in its own part; main reads all of it. Times are milliseconds. */
export class Meters {
  readonly ingest: IngestMeters
  readonly store: StoreMeters
  readonly channels: Readonly<Record<ChannelName, ChannelMeters>>
  readonly oncall: OncallMeters
  readonly agent: AgentMeters
  /** To be given to `new Figures` on another thread. */
  readonly buffer: SharedArrayBuffer

  constructor(now: () => number, buffer?: SharedArrayBuffer) {
    const numbers = new SharedNumbers(buffer)
    this.buffer = numbers.buffer
    this.ingest = new IngestMeters(numbers, now)
    this.store = new StoreMeters(numbers, now)
    this.channels = record(CHANNEL_NAMES, () => new ChannelMeters(numbers, now))
    this.oncall = new OncallMeters(numbers)
    this.agent = new AgentMeters(numbers)
  }
}

const SOURCES = ['webhook', 'topic', 'agent'] as const satisfies readonly Source[]
const CODES = Object.keys(ERRORS) as ErrorCode[]

export class IngestMeters {
  /** Incidents that are on disk. */
  readonly accepted: Readonly<Record<Source, RateCounter>>
  /** Requests that came again with their Idempotency-Key. */
  readonly duplicates: Counter
  /** Requests for intake that were refused, by reason. */
  readonly refused: Readonly<Record<ErrorCode, Counter>>
  /** From a batch's way to storage to its being on disk. */
  readonly commitMs: RecentHistogram
  /** Incidents in a batch. */
  readonly batch: RecentHistogram

  constructor(numbers: SharedNumbers, now: () => number) {
    this.accepted = record(SOURCES, () => new RateCounter(numbers, now))
    this.duplicates = new Counter(numbers)
    this.refused = record(CODES, () => new Counter(numbers))
    this.commitMs = new RecentHistogram(numbers, now)
    this.batch = new RecentHistogram(numbers, now)
  }
}

export class StoreMeters {
  /** Of one transaction with its fsync. */
  readonly writeMs: RecentHistogram
  readonly failedWrites: Counter

  constructor(numbers: SharedNumbers, now: () => number) {
    this.writeMs = new RecentHistogram(numbers, now)
    this.failedWrites = new Counter(numbers)
  }
}

const OUTCOMES = ['sent', 'retry', 'failed'] as const satisfies readonly Outcome['kind'][]
/** Of one attempt's stages. */
export const STAGE_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]
/** From accepting to the provider's word, retries and outages included. */
export const CONFIRMED_MS = [...STAGE_MS.slice(2), 60_000, 300_000, 1_800_000]

export class ChannelMeters {
  readonly attempts: Readonly<Record<Outcome['kind'], Counter>>
  /** Deliveries that ended so. */
  readonly sent: RateCounter
  readonly dead: Counter
  /** Attempts that are to be repeated. */
  readonly retried: Counter
  /** Attempts whose template failed. */
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

const SIGNALS = ['trigger', 'acknowledge', 'resolve'] as const satisfies readonly Signal[]

export class OncallMeters {
  /** Attempts to tell the provider something. */
  readonly attempts: Readonly<Record<Signal, Readonly<Record<Outcome['kind'], Counter>>>>
  /** Pages that the provider has, and those that were given up. */
  readonly paged: Counter
  readonly failed: Counter
  /** From when a page was due to the provider's word. */
  readonly lateMs: Buckets

  constructor(numbers: SharedNumbers) {
    this.attempts = record(SIGNALS, () => record(OUTCOMES, () => new Counter(numbers)))
    this.paged = new Counter(numbers)
    this.failed = new Counter(numbers)
    this.lateMs = new Buckets(numbers, CONFIRMED_MS)
  }
}

export class AgentMeters {
  /** Calls of the model that it answered, and others. */
  readonly answered: Counter
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
