import { z } from 'zod'
import { count, nonNegative, type Shape, time } from './fields.ts'
import { IntakeFigures, p50p99, percentile } from './replica.ts'

const UNKNOWN = 'null while the thread that knows it does not answer'
const unknownCount = count.nullable().describe(UNKNOWN)

const IngestStats = IntakeFigures.omit({ at: true, rss_bytes: true, uptime_ms: true }).describe(
  'With replicas that share a database the sum over all of them; of percentiles the highest',
)

export const ChannelStats = z.object({
  sent_total: count,
  retried_total: count,
  dead_total: count,
  sent_per_s: nonNegative,
  latency_ms: z
    .object({ p50: percentile, p95: percentile, p99: percentile })
    .describe("From the arrival of the incident to the provider's answer"),
  backlog: unknownCount,
  oldest_pending_age_ms: nonNegative.nullable(),
})
export type ChannelStats = Shape<typeof ChannelStats>

export const ActorStats = z.object({
  thread: z.string(),
  depth: count.describe('Places of the mailbox that are taken'),
  capacity: count,
  refused: count,
  state: z.string(),
  restarts: count,
})
export type ActorStats = Shape<typeof ActorStats>

export const ThreadStats = z.object({
  state: z.string(),
  restarts: count,
  utilization: nonNegative.max(1).nullable().describe('Share of time that the event loop was busy'),
  lag_ms: p50p99.nullable().describe('Delay of the event loop'),
})
export type ThreadStats = Shape<typeof ThreadStats>

const StorageStats = z.object({
  incidents: count,
  unapplied: count.describe('Of these, in the journal and in no list yet'),
  apply_lag_ms: nonNegative.describe('Age of the oldest incident that waits to be applied; 0 when none waits'),
  quarantined: count.describe('Of these, set aside because they cannot be applied; tried again after the next start'),
  finished: count,
  unfinished_deliveries: count,
  unindexed: count.describe('Incidents that the full-text index lacks; a search reads them one by one'),
  database_bytes: count,
  wal_bytes: count,
})

/** Body of GET /api/admin/stats and of the `stats` event. */
export const Stats = z
  .object({
    at: time,
    uptime_ms: nonNegative,
    version: z.string(),
    started_at: time,
    ingest: IngestStats,
    deliveries: z.record(z.string(), ChannelStats).describe('By enabled channel'),
    oncall: z.object({
      armed: unknownCount,
      overdue: unknownCount,
      paged_total: z.record(z.string(), count).describe('`sent` and `failed`'),
    }),
    attention: z.object({
      dead: unknownCount,
      open_circuits: unknownCount,
      unacknowledged_firing: unknownCount,
      problems: unknownCount.describe('Problems that fire; null while the thread that knows it does not answer'),
      storms: unknownCount.describe('Open digests; null while the thread that knows it does not answer'),
    }),
    actors: z.record(z.string(), ActorStats),
    threads: z.record(z.string(), ThreadStats),
    storage: StorageStats.nullable().describe(UNKNOWN),
    replicas: z
      .array(z.object({ name: z.string(), figures: IntakeFigures.nullable() }))
      .exactOptional()
      .describe('Intake of each replica as of its last beat; only with replicas that share a database'),
    memory: z.object({ rss_bytes: count }),
    agent: z
      .object({ mode: z.string(), lag: nonNegative, lines_per_s: nonNegative, patterns: count })
      .nullable()
      .describe('null without the log agent'),
  })
  .describe(
    'Rates cover the last 5 s, percentiles the last minute (null when nothing happened), totals the time since the start',
  )
export type Stats = Shape<typeof Stats>
