import type { Finding, FindingKind, Mode } from '../contract.ts'
import { type Episode, patternOf, type TrackedPattern } from '../patterns/pattern-state.ts'

/** The tick that is being closed. */
export interface Tick {
  readonly atMs: number
  readonly mode: Mode
  /** Time after which a lasting burst raises another incident, and a quiet one ends. */
  readonly renotifyMs: number
  /** Sources that were not read during the whole tick, or delivered a backlog. */
  readonly incompleteTick: ReadonlySet<string>
}

/** Counterpart of `renotifyMs` for unknown patterns, which stay the same trouble for a day, however often they pause. */
const UNKNOWN_RENOTIFY_MS = 86_400_000
/** A tick is louder than an episode before it with at least this many lines, and this many times its largest tick. */
const MIN_LOUDER_LINES = 20
const LOUDER_FACTOR = 5

/** Returns the finding of this tick. Opens an episode when the pattern has none. */
export function report(cluster: TrackedPattern, kind: FindingKind, tick: Tick): Finding {
  const { episodes, open } = cluster.state
  const episode = episodes[kind]
  const current = episode ?? newEpisode(tick)
  const due = episode && isDue(episode, kind, open.lines, tick)
  current.count += open.lines
  current.loudest = Math.max(current.loudest, open.lines)
  current.lastAtMs = tick.atMs
  if (due) {
    current.notifiedAtMs = tick.atMs
    current.mode = tick.mode
  }
  episodes[kind] = current
  return { ...findingOf(cluster, kind, current), phase: episode ? (due ? 'renotified' : 'lasting') : 'opened' }
}

/** Ends the episode of this kind. Returns its last finding; an empty list when there is no episode. */
export function close(cluster: TrackedPattern, kind: FindingKind): Finding[] {
  const episode = cluster.state.episodes[kind]
  if (!episode) return []
  delete cluster.state.episodes[kind]
  return [{ ...findingOf(cluster, kind, episode), phase: 'closed' }]
}

export function isQuiet(cluster: TrackedPattern, kind: FindingKind, tick: Tick): boolean {
  const episode = cluster.state.episodes[kind]
  return episode !== undefined && tick.atMs - episode.lastAtMs >= renotifyMs(kind, tick)
}

/** Returns whether a lasting episode raises another incident. */
function isDue(episode: Episode, kind: FindingKind, lines: number, tick: Tick): boolean {
  if (tick.atMs - episode.notifiedAtMs >= renotifyMs(kind, tick) || moreSerious(tick.mode, episode.mode)) return true
  return kind === 'unknown' && lines >= MIN_LOUDER_LINES && lines >= episode.loudest * LOUDER_FACTOR
}

function renotifyMs(kind: FindingKind, tick: Tick): number {
  return kind === 'unknown' ? Math.max(UNKNOWN_RENOTIFY_MS, tick.renotifyMs) : tick.renotifyMs
}

/** An episode that was only recorded in shadow mode raises an incident when the mode becomes `detect`. */
function moreSerious(mode: Mode, earlier: Mode): boolean {
  return mode === 'detect' && earlier !== 'detect'
}

function newEpisode({ atMs, mode }: Tick): Episode {
  return { openedAtMs: atMs, notifiedAtMs: atMs, mode, lastAtMs: atMs, count: 0, loudest: 0 }
}

function findingOf(cluster: TrackedPattern, kind: FindingKind, episode: Episode): Omit<Finding, 'phase'> {
  const { open, baseline } = cluster.state
  return {
    kind,
    pattern: patternOf(cluster),
    samples: [...open.samples],
    frequency: open.lines,
    baseline: baseline.mean,
    count: episode.count,
    openedAtMs: episode.openedAtMs,
  }
}
