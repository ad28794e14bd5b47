import type { Finding, FindingKind, Mode } from '../contract.ts'
import { type Episode, patternOf, type TrackedPattern } from '../patterns/pattern-state.ts'

/** The tick that is being closed. */
export interface Tick {
  readonly atMs: number
  readonly mode: Mode
  /** Time after which a lasting episode raises another incident, and a quiet one ends. */
  readonly renotifyMs: number
  /** Sources that were not read during the whole tick, or delivered a backlog. */
  readonly incompleteTick: ReadonlySet<string>
}

/** Returns the finding of this tick. Opens an episode when the pattern has none. */
export function report(cluster: TrackedPattern, kind: FindingKind, tick: Tick): Finding {
  const { episodes, open } = cluster.state
  const episode = episodes[kind]
  const current = episode ?? newEpisode(tick)
  const due = episode && (tick.atMs - episode.notifiedAtMs >= tick.renotifyMs || moreSerious(tick.mode, episode.mode))
  current.count += open.lines
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

export function isQuiet(episode: Episode | undefined, tick: Tick): boolean {
  return episode !== undefined && tick.atMs - episode.lastAtMs >= tick.renotifyMs
}

/** An episode that was only recorded in shadow mode raises an incident when the mode becomes `detect`. */
function moreSerious(mode: Mode, earlier: Mode): boolean {
  return mode === 'detect' && earlier !== 'detect'
}

function newEpisode({ atMs, mode }: Tick): Episode {
  return { openedAtMs: atMs, notifiedAtMs: atMs, mode, lastAtMs: atMs, count: 0 }
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
