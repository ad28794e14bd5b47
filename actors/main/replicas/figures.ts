import type { IntakeFigures } from '../../../src/api/replica.ts'
import { figuresOf } from '../../../src/telemetry/intakes.ts'
import type { Snapshot } from '../../../src/telemetry/snapshot.ts'
import { intakeOf } from '../../../src/telemetry/stats.ts'
import type { ClusterView } from './view.ts'

interface FiguresDeps extends Pick<Snapshot, 'startedAt' | 'meters'> {
  now(): number
  /** Requests that wait for a commit, over all fronts. */
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
export function clusterSnapshot(cluster: ClusterView): NonNullable<Snapshot['cluster']> {
  const intakes = cluster.replicas().map(({ name, self, figures }) => ({ name, self, figures }))
  return { ...cluster.status(), intakes }
}
