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

/** One redacted event; continuation lines may follow after `\n`. */
export interface LogLine {
  readonly text: string
  /** Name of the configured log source. Each source has patterns of its own. */
  readonly source: string
  readonly service: string
  /** Name of the prefilter rule that let it through. */
  readonly rule: string
}

export interface Pattern {
  /** Hash of its first template. It also answers to the ids of patterns merged into it (the last 64). */
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

/** `patterns` and `services` as read from patterns.json; only known to be objects. */
export interface StoredCatalog {
  readonly patterns: { readonly [id: string]: unknown }
  readonly services: { readonly [name: string]: unknown }
}
