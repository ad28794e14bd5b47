import type { IntakeFigures } from '../../../src/api/replica.ts'
import type { Cluster } from '../../../src/cluster/contract.ts'
import { figuresOf } from '../../../src/telemetry/intakes.ts'
import type { ClusterSnapshot, Snapshot } from '../../../src/telemetry/snapshot.ts'
import { intakeOf } from '../../../src/telemetry/stats.ts'

export interface FiguresDeps extends Pick<Snapshot, 'startedAt' | 'meters'> {
  now(): number
  /** Requests of main's front that wait for a commit. */
  inflight(): number
}

/** Returns a function that reads what a beat tells the other replicas; it costs a few reads of shared memory. */
export function readFigures({ startedAt, meters, now, inflight }: FiguresDeps): () => IntakeFigures {
  return () =>
    figuresOf({
      at: now(),
      startedAt,
      rssBytes: process.memoryUsage.rss(),
      ownIntake: intakeOf(meters.ingest, inflight()),
    })
}

/** Returns the part of a snapshot that is about the replicas. */
export function clusterSnapshot(cluster: Pick<Cluster, 'replicas' | 'status'>): ClusterSnapshot {
  const intakes = cluster.replicas().map(({ name, self, figures }) => ({ name, self, figures: intakeIn(figures) }))
  return { ...cluster.status(), intakes }
}

/**
 * Returns the figures of a beat; undefined when a replica of another version wrote others, or none. The database is
 * trusted for the rest.
 */
export function intakeIn(figures: unknown): IntakeFigures | undefined {
  const known = figures as Partial<IntakeFigures> | null | undefined
  const fits = typeof known?.accepted_total === 'number' && known.refused_total && known.commit_ms && known.batch_size
  return fits ? (known as IntakeFigures) : undefined
}
