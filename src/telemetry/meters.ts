import { CHANNEL_NAMES, type ChannelName, type Outcome } from '../domain/delivery.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'
import type { Signal } from '../domain/escalation.ts'
import type { Source } from '../domain/incident.ts'
import { SEVERITY_RUNGS, type SeverityRung } from '../domain/severity.ts'
import { Counter, Rate } from './counters.ts'
import { Buckets, RecentHistogram } from './histogram.ts'
import { Memory } from './shared-numbers.ts'

/** What the threads count, each in its own part; main reads all of it. Times are milliseconds. */
export class Figures {
  readonly ingest: IngestFigures
  readonly store: StoreFigures
  readonly channels: Readonly<Record<ChannelName, ChannelFigures>>
  readonly oncall: OncallFigures
  readonly agent: AgentFigures
  /** To be given to `new Figures` on another thread. */
  readonly buffer: SharedArrayBuffer

  constructor(now: () => number, buffer?: SharedArrayBuffer) {
    const memory = new Memory(buffer)
    this.buffer = memory.buffer
    this.ingest = new IngestFigures(memory, now)
    this.store = new StoreFigures(memory, now)
    this.channels = record(CHANNEL_NAMES, () => new ChannelFigures(memory, now))
    this.oncall = new OncallFigures(memory)
    this.agent = new AgentFigures(memory)
  }
}

const SOURCES = ['webhook', 'topic', 'agent'] as const satisfies readonly Source[]
const CODES = Object.keys(ERRORS) as ErrorCode[]

export class IngestFigures {
  /** Incidents that are on disk. */
  readonly accepted: Readonly<Record<Source, Rate>>
  /** Requests that came again with their Idempotency-Key. */
  readonly duplicates: Counter
  /** Requests for intake that were refused, by reason. */
  readonly refused: Readonly<Record<ErrorCode, Counter>>
  /** From a batch's way to storage to its being on disk. */
  readonly commitMs: RecentHistogram
  /** Incidents in a batch. */
  readonly batch: RecentHistogram

  constructor(memory: Memory, now: () => number) {
    this.accepted = record(SOURCES, () => new Rate(memory, now))
    this.duplicates = new Counter(memory)
    this.refused = record(CODES, () => new Counter(memory))
    this.commitMs = new RecentHistogram(memory, now)
    this.batch = new RecentHistogram(memory, now)
  }
}

export class StoreFigures {
  /** Of one transaction with its fsync. */
  readonly writeMs: RecentHistogram
  readonly failedWrites: Counter

  constructor(memory: Memory, now: () => number) {
    this.writeMs = new RecentHistogram(memory, now)
    this.failedWrites = new Counter(memory)
  }
}

const OUTCOMES = ['sent', 'retry', 'failed'] as const satisfies readonly Outcome['kind'][]
/** Of one attempt's stages. */
export const STAGE_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]
/** From accepting to the provider's word, retries and outages included. */
export const CONFIRMED_MS = [...STAGE_MS.slice(2), 60_000, 300_000, 1_800_000]

export class ChannelFigures {
  readonly attempts: Readonly<Record<Outcome['kind'], Counter>>
  /** Deliveries that ended so. */
  readonly sent: Rate
  readonly dead: Counter
  /** Attempts that are to be repeated. */
  readonly retried: Counter
  /** Attempts whose template failed. */
  readonly renderedPlain: Counter
  readonly confirmedMs: RecentHistogram
  readonly confirmedMsBySeverity: Readonly<Record<SeverityRung, Buckets>>
  readonly renderMs: Buckets
  readonly limiterWaitMs: Buckets
  readonly providerMs: Buckets

  constructor(memory: Memory, now: () => number) {
    this.attempts = record(OUTCOMES, () => new Counter(memory))
    this.sent = new Rate(memory, now)
    this.dead = new Counter(memory)
    this.retried = new Counter(memory)
    this.renderedPlain = new Counter(memory)
    this.confirmedMs = new RecentHistogram(memory, now)
    this.confirmedMsBySeverity = record(SEVERITY_RUNGS, () => new Buckets(memory, CONFIRMED_MS))
    this.renderMs = new Buckets(memory, STAGE_MS)
    this.limiterWaitMs = new Buckets(memory, STAGE_MS)
    this.providerMs = new Buckets(memory, STAGE_MS)
  }
}

const SIGNALS = ['trigger', 'acknowledge', 'resolve'] as const satisfies readonly Signal[]

export class OncallFigures {
  /** Attempts to tell the provider something. */
  readonly attempts: Readonly<Record<Signal, Readonly<Record<Outcome['kind'], Counter>>>>
  /** Pages that the provider has, and those that were given up. */
  readonly paged: Counter
  readonly failed: Counter
  /** From when a page was due to the provider's word. */
  readonly lateMs: Buckets

  constructor(memory: Memory) {
    this.attempts = record(SIGNALS, () => record(OUTCOMES, () => new Counter(memory)))
    this.paged = new Counter(memory)
    this.failed = new Counter(memory)
    this.lateMs = new Buckets(memory, CONFIRMED_MS)
  }
}

export class AgentFigures {
  /** Calls of the model that it answered, and others. */
  readonly answered: Counter
  readonly failed: Counter
  readonly callMs: Buckets

  constructor(memory: Memory) {
    this.answered = new Counter(memory)
    this.failed = new Counter(memory)
    this.callMs = new Buckets(memory, STAGE_MS)
  }
}

function record<K extends string, T>(keys: readonly K[], make: () => T): Readonly<Record<K, T>> {
  return Object.fromEntries(keys.map((key) => [key, make()])) as Record<K, T>
}
