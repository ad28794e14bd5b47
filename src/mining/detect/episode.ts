import type { Finding, FindingKind, Mode } from '../contract.ts'
import { type Episode, patternOf, type TrackedPattern } from '../patterns/pattern-state.ts'

/** The tick that was just closed. */
export interface Tick {
  readonly atMs: number
  readonly mode: Mode
  /** Time after which a lasting episode is due again, and a quiet one over. */
  readonly renotifyMs: number
  /** Sources whose lines are not those of one tick. */
  readonly incompleteTick: ReadonlySet<string>
}

/** Reports a tick of an episode, which it opens when there is none. */
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

/** Ends an episode that has been quiet, or whose pattern is no longer in question. */
export function close(cluster: TrackedPattern, kind: FindingKind): Finding[] {
  const episode = cluster.state.episodes[kind]
  if (!episode) return []
  delete cluster.state.episodes[kind]
  return [{ ...findingOf(cluster, kind, episode), phase: 'closed' }]
}

export function isQuiet(episode: Episode | undefined, tick: Tick): boolean {
  return episode !== undefined && tick.atMs - episode.lastAtMs >= tick.renotifyMs
}

/** What only the shadow log was told of is news when incidents are raised. */
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
