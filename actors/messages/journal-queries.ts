import type { IncidentDetail } from '../../src/api/incident.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { Journal } from '../../src/journal/contract.ts'
import type { LogSettings } from '../../src/telemetry/log.ts'

/** Questions to the journal. All reject with `ask_timeout` or `peer_down`. */
export interface JournalQueries {
  /** Proves that the journal takes frames. Rejects with `storage_full`, `storage_down`. */
  check(): void
  /**
   * An incident that is committed and not applied, and before which `behind` others are to be applied; undefined: no
   * such incident. `channels`: the enabled ones.
   */
  incident(query: {
    readonly id: string
    readonly channels: readonly ChannelName[]
    readonly behind: number
  }): IncidentDetail | undefined
  state(): Journal['size']
  /** Changes the quota, and what the thread logs. */
  settings(query: { readonly quota: JournalQuota; readonly log: LogSettings }): void
}

/** Bounds of what the journal takes while it is not delivered. */
export interface JournalQuota {
  /** Dispatches that may be pending: `storage.file.max_backlog`. */
  readonly maxBacklog: number
  /** Dispatches that one incident can become at most: enabled channels and the pager. */
  readonly dispatchesPerIncident: number
}
