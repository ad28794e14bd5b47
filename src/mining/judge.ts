import { holdBurst } from './baseline.ts'
import { isBurst, isUnusual, type Sensitivity } from './burst.ts'
import type { Finding, FindingKind, Mode } from './contract.ts'
import { type Episode, patternOf, type Tracked } from './record.ts'

/** The tick that was just closed. */
export interface Tick {
  readonly atMs: number
  readonly mode: Mode
  /** Time after which a lasting episode is due again, and a quiet one over. */
  readonly renotifyMs: number
}

/** From this many patterns on a source can be louder as a whole: then it is reading that caught up, not one of them that bursts. */
const MANY = 8
const MOST = 0.6
const SETTLED_TICKS = 20
const OFTEN = 0.5

/** Whether most of what a source says often is unusually frequent at once. */
export function isSurge(clusters: readonly Tracked[]): boolean {
  const often = clusters.filter(({ record: { verdict, baseline } }) => {
    return verdict === 'known' && baseline.ticks >= SETTLED_TICKS && baseline.mean >= OFTEN
  })
  const loud = often.filter(({ record }) => isUnusual(record.baseline))
  return often.length >= MANY && loud.length >= MOST * often.length
}

/** Whether a known pattern bursts in this tick; what belongs to a burst is kept from the baseline, unless it has lasted so long that it is normal. */
export function bursts({ record, lines }: Tracked, sensitivity: Sensitivity, tick: Tick): boolean {
  const { baseline, episodes } = record
  const episode = episodes.spike
  const recent = episode !== undefined && tick.atMs - episode.lastAtMs < LINGERING_MS
  const burst = isBurst(baseline, lines, sensitivity) || (recent && isUnusual(baseline))
  const lasting = episode !== undefined && tick.atMs - episode.openedAtMs >= tick.renotifyMs
  if (burst && !lasting) holdBurst(baseline)
  return burst
}
const LINGERING_MS = 300_000

/** Reports a tick of an episode, which it opens when there is none. */
export function report(cluster: Tracked, kind: FindingKind, tick: Tick): Finding {
  const { episodes, open } = cluster.record
  const episode = episodes[kind]
  const current = episode ?? newEpisode(tick)
  const due = episode && (tick.atMs - episode.notifiedAtMs >= tick.renotifyMs || moreSerious(tick.mode, episode.mode))
  current.count += open.lines
  current.lastAtMs = tick.atMs
  if (due) Object.assign(current, { notifiedAtMs: tick.atMs, mode: tick.mode })
  episodes[kind] = current
  return { ...findingOf(cluster, kind, current), phase: episode ? (due ? 'renotified' : 'lasting') : 'opened' }
}

/** Ends an episode that has been quiet, or whose pattern is no longer in question. */
export function close(cluster: Tracked, kind: FindingKind): Finding[] {
  const episode = cluster.record.episodes[kind]
  if (!episode) return []
  delete cluster.record.episodes[kind]
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

function findingOf(cluster: Tracked, kind: FindingKind, episode: Episode): Omit<Finding, 'phase'> {
  const { open, baseline } = cluster.record
  return {
    ...{ kind, pattern: patternOf(cluster), samples: [...open.samples], frequency: open.lines },
    ...{ baseline: baseline.mean, count: episode.count, openedAtMs: episode.openedAtMs },
  }
}
