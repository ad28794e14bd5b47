import type { IntakeFigures } from '../api/replica.ts'
import type { Stats } from '../api/stats.ts'
import { isoTime } from '../text/iso-time.ts'
import type { ClusterSnapshot, Snapshot } from './snapshot.ts'

interface OwnIntake extends Pick<Snapshot, 'at' | 'startedAt' | 'rssBytes'> {
  readonly ownIntake: Stats['ingest']
}

/** Returns what a replica tells the others of its intake. */
export function figuresOf({ at, startedAt, rssBytes, ownIntake }: OwnIntake): IntakeFigures {
  return { at: isoTime(at), ...ownIntake, rss_bytes: rssBytes, uptime_ms: at - startedAt }
}

/** Returns the intake of each replica: that of this one as it is now, those of the others as of their last beats. */
export function intakesOf({ intakes }: ClusterSnapshot, own: OwnIntake): NonNullable<Stats['replicas']> {
  return intakes.map(({ name, self, figures = null }) => ({ name, figures: self ? figuresOf(own) : figures }))
}

/** Adds counts and rates. Percentiles of several replicas cannot be added: the highest counts. */
export function sumOf(intakes: readonly IntakeFigures[]): Stats['ingest'] {
  const sum = (pick: (intake: IntakeFigures) => number) => intakes.reduce((total, each) => total + pick(each), 0)
  const highest = (pick: (intake: IntakeFigures) => number | null) => {
    const known = intakes.flatMap((each) => pick(each) ?? [])
    return known.length === 0 ? null : Math.max(...known)
  }
  const codes = new Set(intakes.flatMap((each) => Object.keys(each.refused_total)))
  return {
    accepted_total: sum((each) => each.accepted_total),
    refused_total: Object.fromEntries([...codes].map((code) => [code, sum((each) => each.refused_total[code] ?? 0)])),
    accepted_per_s: sum((each) => each.accepted_per_s),
    commit_ms: { p50: highest((each) => each.commit_ms.p50), p99: highest((each) => each.commit_ms.p99) },
    batch_size: { p50: highest((each) => each.batch_size.p50), p99: highest((each) => each.batch_size.p99) },
    inflight: sum((each) => each.inflight),
  }
}
