import type { IncidentDetail } from '../../src/api/incident.ts'
import type { Query } from './query.ts'

/** Questions to the journal. All reject with `ask_timeout` or `peer_down`. */
export interface JournalQueries {
  /** Proves that the journal takes frames. Rejects with `storage_full`, `storage_down`. */
  check(): void
  /** An incident that is committed and not applied; undefined: no such incident, or it is applied. */
  incident(query: { readonly id: string }): IncidentDetail | undefined
  /** Changes what the thread logs. */
  log(query: { readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly secrets: readonly string[] }): void
}

export type JournalQuery<K extends keyof JournalQueries = keyof JournalQueries> = Query<JournalQueries, K>
