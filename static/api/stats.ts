/** The body of GET /api/admin/stats, as far as the pages read it. Spans are milliseconds; null: it cannot be said now. */
export interface Stats {
  readonly at: string
  readonly uptime_ms: number
  readonly version: string
  readonly started_at: string
  readonly ingest: {
    readonly accepted_total: number
    readonly refused_total: { readonly [code: string]: number }
    readonly accepted_per_s: number
    readonly commit_ms: Percentiles
    readonly batch_size: Percentiles
    readonly inflight: number
  }
  readonly deliveries: { readonly [channel: string]: ChannelStats }
  readonly oncall?: {
    readonly armed: number
    readonly overdue: number
    readonly paged_total: { readonly [outcome: string]: number }
  } | null
  readonly attention: {
    readonly dead: number | null
    readonly open_circuits: number | null
    readonly unacknowledged_firing: number | null
  }
  readonly actors: { readonly [name: string]: ActorStats }
  readonly threads: { readonly [name: string]: ThreadStats }
  readonly storage: {
    readonly incidents: number
    readonly finished: number
    readonly unfinished_deliveries: number
    readonly database_bytes: number
    readonly wal_bytes: number
  } | null
  readonly memory: { readonly rss_bytes: number }
  readonly agent: {
    readonly mode: string
    readonly lag: number | null
    readonly lines_per_s: number
    readonly patterns: number
  } | null
}

interface Percentiles {
  readonly p50: number | null
  readonly p95?: number | null
  readonly p99: number | null
}

export interface ChannelStats {
  readonly sent_total: number
  readonly retried_total: number
  readonly dead_total: number
  readonly sent_per_s: number
  readonly latency_ms: Percentiles
  readonly backlog: number | null
  readonly oldest_pending_age_ms: number | null
}

export interface ActorStats {
  readonly thread: string
  readonly depth: number
  readonly capacity: number
  readonly refused: number
  readonly state: string
  readonly restarts: number
}

export interface ThreadStats {
  readonly state: string
  readonly restarts: number
  readonly utilization: number | null
  readonly lag_ms: Percentiles | null
}
