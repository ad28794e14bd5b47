/** What the log agent asks of the miner. Times are epoch milliseconds; a tick is the stretch between two calls of `closeTick`. */

/** `training` learns whatever is seen; `shadow` and `detect` find the same things, what is done with them is the caller's affair. */
export type Mode = 'training' | 'shadow' | 'detect'

/** `unknown`: a pattern that nothing has declared normal. `spike`: a known pattern far above its baseline. */
export type FindingKind = 'unknown' | 'spike'

/** `known`: normal, reported only when it spikes. `ignored`: never reported. `unknown`: reported, and not promoted by count when an operator said so. */
export type Verdict = 'known' | 'unknown' | 'ignored'

export type KnownBy = 'training' | 'grace' | 'count' | 'operator' | ''

/** The sections `agent.miner` and `agent.catalog` and two durations of the configuration, as config transforms them. */
export interface DetectorOptions {
  readonly miner: MinerOptions
  readonly catalog: CatalogOptions
  readonly renotifyMs: number
  readonly newServiceGraceMs: number
}

interface MinerOptions {
  /** Live patterns of all sources together; the one seen longest ago makes room. */
  readonly maxPatterns: number
  /** Knobs of the Drain algorithm, taken and without effect: nothing is joined on a similarity score, and no tree is walked. */
  readonly similarityThreshold?: number
  readonly treeDepth?: number
  readonly maxChildren?: number
}

export interface CatalogOptions {
  /** Lines after which an unknown pattern is held for normal. */
  readonly autoPromoteAfter: number
  /** Sensitivity to bursts: 3 is the tail probability 1e-7; higher is quieter. */
  readonly spikeZ: number
  /** Lines in one tick below which nothing is a spike. */
  readonly spikeMinFrequency: number
  /** Lines a pattern must have had before its bursts are judged. */
  readonly spikeMinBaselineCount: number
}

/** One redacted event; continuation lines may follow after `\n`. */
export interface LogLine {
  readonly text: string
  /** Name of the configured log source: patterns are learned for each source alone. */
  readonly source: string
  readonly service: string
  /** Name of the prefilter rule that let it through. */
  readonly rule: string
}

export interface Sighting {
  /** Follows from the text of the pattern's first line; one that was joined to another answers under its old id too (the last 64). */
  readonly id: string
  readonly isNew: boolean
}

export interface Pattern {
  readonly id: string
  /** Text with `<*>` for what varies. */
  readonly template: string
  readonly source: string
  readonly service: string
  readonly rule: string
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  /** Lines ever, those of the open tick included. */
  readonly count: number
  /** Lines per tick when all is well. */
  readonly baselineFrequency: number
  readonly verdict: Verdict
  readonly knownBy: KnownBy
  readonly tags: readonly string[]
}

export interface Finding {
  readonly kind: FindingKind
  /** `opened` and `renotified` are worth an incident; `lasting` and `closed` tell how the episode goes on. */
  readonly phase: 'opened' | 'renotified' | 'lasting' | 'closed'
  readonly pattern: Pattern
  /** Up to three lines of this tick, the first one first; empty when there were none. */
  readonly samples: readonly string[]
  /** Lines of this tick. */
  readonly frequency: number
  readonly baseline: number
  /** Lines since the episode opened. */
  readonly count: number
  readonly openedAtMs: number
}

export interface Service {
  readonly name: string
  readonly firstSeenMs: number
  /** What is new from this service before then is learned, not reported. */
  readonly graceEndsMs: number
}

/** An entry of patterns.json: older files lack what is optional here, and hold more: what is unknown to us is kept as it is. */
export interface StoredPattern {
  readonly id: string
  readonly template: string
  readonly first_seen: string
  readonly last_seen: string
  readonly count: number
  readonly baseline_frequency: number
  readonly verdict: string
  readonly rule_name: string
  readonly source: string
  readonly service: string
  readonly tags: readonly string[]
  readonly [field: string]: unknown
}

export interface StoredService {
  readonly first_seen: string
  readonly [field: string]: unknown
}

/** `patterns` and `services` of patterns.json, checked for nothing but being objects. */
export interface StoredCatalog {
  readonly patterns: { readonly [id: string]: unknown }
  readonly services: { readonly [name: string]: unknown }
}

export interface CatalogSnapshot {
  readonly patterns: { readonly [id: string]: StoredPattern }
  readonly services: { readonly [name: string]: StoredService }
}

export interface DetectorCounts {
  readonly lines: number
  readonly patterns: number
  readonly merged: number
  readonly evicted: number
  /** Unknown patterns that a flood of others kept from being reported; they are when they are seen again. */
  readonly withheld: number
}

/**
 * Learns patterns, judges them tick by tick. One thread, no timer, no file: the same calls give the same answers. Made by
 * `createWatch(options, stored?)` of watch.ts; a stored entry that cannot be used is left out and counted in `skipped`.
 */
export interface AnomalyDetector {
  observe(line: LogLine, atMs: number): Sighting
  /**
   * Ends the tick and says what is to be reported of it; in training nothing is. `uneven` names sources of which this tick has not the lines
   * of one tick, because they could not be read or more was caught up with: how many there are is no measure of anything.
   */
  closeTick(atMs: number, mode: Mode, incompleteTick?: ReadonlySet<string>): Finding[]
  /** Live patterns, seen last first. */
  patterns(): Pattern[]
  pattern(id: string): Pattern | undefined
  /** The operator's word; undefined when there is no such pattern. */
  label(id: string, label: { readonly verdict?: Verdict; readonly tags?: readonly string[] }): Pattern | undefined
  forget(id: string): boolean
  /** Forgets all patterns, and says how many. */
  clear(): number
  services(): Service[]
  grace(name: string, action: 'end' | 'restart', atMs: number): Service | undefined
  /** What patterns.json holds; a watch made from it goes on where this one is, episodes included, and counts exactly. */
  snapshot(): CatalogSnapshot
  counts(): DetectorCounts
  /** Stored entries that could not be used. */
  readonly skipped: number
}
