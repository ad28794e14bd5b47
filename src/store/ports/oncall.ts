import type { Effect } from '../../domain/page.ts'

/** Effects of one step of a page on one of its incidents, for events and notices. */
export interface OncallChange {
  readonly incident: number
  readonly effects: readonly Effect[]
  /** The person who caused it. */
  readonly by?: string
}

/** Facts of an incident for the event of a change. */
export interface OncallFacts {
  readonly id: string
  readonly title: string
  readonly severity: string
  /** Epoch milliseconds; null: it does not page. */
  readonly dueAt: number | null
  /** The provider that was paged; null: none. */
  readonly provider: string | null
}
