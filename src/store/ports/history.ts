import type { Draft, Overrides } from '../../domain/incident.ts'

/** An incident as it was accepted, and what people did to it. Times in epoch milliseconds. */
export interface StoredIncident {
  readonly number: number
  readonly draft: Draft
  readonly committedAt: number
  readonly overrides?: Overrides
  readonly acknowledged?: { readonly at: number; readonly by: string }
  /** It was resolved, by a person or by its sender. */
  readonly resolvedAt?: number
}

/** Stored incidents that are a stretch of history. */
export interface HistoryRange {
  /** Numbers of the first and the last incident; there may be gaps between them. The last is 0 when there is none. */
  readonly first: number
  readonly last: number
  /** Commit of the oldest incident that is stored, epoch milliseconds; null: none is. */
  readonly storedSince: number | null
  /** False: retention or the limit cut the beginning. */
  readonly complete: boolean
}

export interface HistoryQuery {
  /** Epoch milliseconds. */
  readonly from: number
  /** The most incidents; the newest count. */
  readonly limit: number
}

export interface HistoryNumbers {
  readonly first: number
  readonly last: number
}

/** In order; empty: there are no more. */
export type HistoryPage = readonly StoredIncident[]

/** A silence that a person made. Times in epoch milliseconds. */
export interface StoredSilence {
  readonly id: number
  /** JSON of a `SilenceSettings`, as it was changed last. */
  readonly settings: string
  readonly createdAt: number
  /** Absent: it is live, or ended by itself. */
  readonly ended?: { readonly at: number; readonly by: string }
}
