import type { Verdict } from '../domain/pattern-verdict.ts'

/**
 * Contract between the log agent and pattern mining. Times are epoch milliseconds. A tick is the time between two calls
 * of `closeTick`.
 */

/**
 * - `training`: every pattern becomes known; nothing is reported.
 * - `shadow`, `detect`: both report the same findings. The caller records them in shadow mode and raises them in detect
 *   mode.
 */
export type Mode = 'training' | 'shadow' | 'detect'

/** `unknown`: a pattern that has not been learned as normal. `spike`: a known pattern far above its baseline. */
export type FindingKind = 'unknown' | 'spike'

/** Reason for the verdict; '' while a pattern is unknown and no operator has labelled it. */
export type KnownBy = 'training' | 'grace' | 'count' | 'operator' | ''

/** The configuration sections `agent.miner` and `agent.catalog`, and two durations. */
export interface DetectorOptions {
  /** Most patterns of all sources together; the one seen longest ago is evicted. */
  readonly miner: { readonly maxPatterns: number }
  readonly catalog: CatalogOptions
  readonly renotifyMs: number
  readonly newServiceGraceMs: number
}

export interface CatalogOptions {
  /** Number of lines after which an unknown pattern becomes known. */
  readonly autoPromoteAfter: number
  /** Sensitivity to bursts: 3 stands for the tail probability 1e-7; a higher value reports less. */
  readonly spikeZ: number
  /** A tick with fewer lines than this is never a spike. */
  readonly spikeMinFrequency: number
  /** Lines that a pattern must have had in all before its bursts are reported. */
  readonly spikeMinBaselineCount: number
}

/** One redacted event; continuation lines may follow after `\n`. */
export interface LogLine {
  readonly text: string
  /** Name of the configured log source. Each source has patterns of its own. */
  readonly source: string
  readonly service: string
  /** Name of the prefilter rule that let it through. */
  readonly rule: string
}

export interface Sighting {
  /**
   * Hash of the pattern's first template. A pattern also answers to the ids of patterns merged into it (the last 64).
   */
  readonly id: string
  readonly isNew: boolean
}

export interface Pattern {
  readonly id: string
  /** Text with `<*>` in place of variable parts. */
  readonly template: string
  readonly source: string
  readonly service: string
  readonly rule: string
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  /** Lines since the pattern was first seen, including the open tick. */
  readonly count: number
  /** Mean number of lines per tick, without bursts. */
  readonly baselineFrequency: number
  readonly verdict: Verdict
  readonly knownBy: KnownBy
  readonly tags: readonly string[]
}

export interface Finding {
  readonly kind: FindingKind
  /**
   * - `opened`: first tick of an episode; raises an incident.
   * - `lasting`: the episode had lines in this tick; raises nothing.
   * - `renotified`: the episode still lasts after `renotifyMs` (unknown patterns: after a day, or when one tick had three
   *   times the lines of any before); raises another incident.
   * - `closed`: not reported for `renotifyMs` (unknown patterns: for a day), or the pattern's verdict changed.
   */
  readonly phase: 'opened' | 'renotified' | 'lasting' | 'closed'
  readonly pattern: Pattern
  /** Up to three lines of this tick, oldest first; empty when there were none. */
  readonly samples: readonly string[]
  /** Number of lines in this tick. */
  readonly frequency: number
  readonly baseline: number
  /** Number of lines since the episode opened. */
  readonly count: number
  readonly openedAtMs: number
}

export interface Service {
  readonly name: string
  readonly firstSeenMs: number
  /** New patterns of this service are learned instead of reported until then. */
  readonly graceEndsMs: number
}

/** One entry of `patterns` in patterns.json. Unknown fields are kept when the file is written again. */
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

/** `patterns` and `services` as read from patterns.json; only known to be objects. */
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
  /** Unknown patterns not reported because of the limit per tick; they are reported when they are seen again. */
  readonly withheld: number
}

/**
 * Learns patterns from log lines and evaluates them at the end of each tick. Single-threaded, without timers or files,
 * and deterministic. Created by `createAnomalyDetector`.
 */
export interface AnomalyDetector {
  observe(line: LogLine, atMs: number): Sighting
  /**
   * Ends the tick and returns its findings; none in training. Sources in `incompleteTick` were not read during the
   * whole tick, or delivered a backlog: their counts enter no baseline and are not tested for bursts.
   */
  closeTick(atMs: number, mode: Mode, incompleteTick?: ReadonlySet<string>): Finding[]
  /** Returns all patterns, most recently seen first. */
  patterns(): Pattern[]
  pattern(id: string): Pattern | undefined
  /** Sets an operator's verdict and tags. Returns undefined when there is no such pattern. */
  label(id: string, label: { readonly verdict?: Verdict; readonly tags?: readonly string[] }): Pattern | undefined
  forget(id: string): boolean
  /** Forgets all patterns and returns how many there were. */
  clear(): number
  services(): Service[]
  /** Ends or restarts the grace period of a service. Returns undefined when there is no such service. */
  grace(name: string, action: 'end' | 'restart', atMs: number): Service | undefined
  /** Returns the content of patterns.json. A detector created from it continues with the same counts and episodes. */
  snapshot(): CatalogSnapshot
  counts(): DetectorCounts
  /** Number of stored entries that could not be used and were left out. */
  readonly skipped: number
}
