/** One replica, as the last beat of this one found it. */
export interface Replica {
  readonly name: string
  /** Base address, or ''. */
  readonly address: string
  readonly version: string
  readonly leads: boolean
  readonly self: boolean
  /** Epoch milliseconds of the database's clock. */
  readonly startedAt: number
  /** Age of its last beat. */
  readonly lastBeatMs: number
  /** Negative when its lease is over and no replica has ended its life yet. */
  readonly leaseLeftMs: number
  /** The database's clock less its own; undefined before its first beat. */
  readonly clockOffsetMs: number | undefined
  /** Settings that another replica has too, which runs at the same time: each must have its own. */
  readonly shares: readonly ('name' | 'address')[]
  /** As it gave them with its last beat. */
  readonly figures: unknown
}

export interface Leader {
  readonly name: string
  /** '': it cannot be reached. */
  readonly address: string
  readonly self: boolean
  /** An earlier process of this replica, which ended without giving the lease back. */
  readonly former?: true
}

/** Counts and states for metrics. */
export interface ClusterStatus {
  readonly replicas: number
  readonly leads: boolean
  /** Time for which this replica may begin sends; 0 when it does not lead. */
  readonly leaseLeftMs: number
  /** Times that this process took the lease. */
  readonly takeovers: number
  readonly beatsFailed: number
  readonly clockOffsetMs: number
  /** The last beat reached the database. */
  readonly storeUp: boolean
  /** The server waits for a synchronous standby with every commit. */
  readonly synchronous: boolean
}

/** The other replicas and this one's place among them. All of it is from memory. */
export interface Cluster {
  /** Undefined while no replica leads, or none is known to. */
  leader(): Leader | undefined
  replicas(): readonly Replica[]
  status(): ClusterStatus
  /** Calls `changed` after each change of `leader`. */
  watch(changed: () => void): void
}

/** A database connection that a beat needs. Each call rejects when the connection fails or the answer is late. */
export interface Connection {
  /** Returns rows with their columns by name. Connects first where there is no connection. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Monotonic milliseconds since when the connection stands; undefined while there is none. */
  readonly since: number | undefined
  close(): Promise<void>
}

export type Row = { readonly [column: string]: unknown }
