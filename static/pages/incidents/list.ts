import { type Signal, signal } from '@preact/signals'
import type { IncidentPage, IncidentRecord } from '../../../src/api/incident.ts'
import { type ApiError, get } from '../../api/client.ts'
import { oneAtATime } from '../../api/one-at-a-time.ts'
import { messageOf } from '../../api/resource.ts'

/** Incidents in the first page. When all of them are new there may be more new ones. */
export const FIRST = 100
const MORE = 500

/** The incidents that match one filter, newest first, loaded as far as the reader has scrolled. */
export class IncidentList {
  readonly rows: Signal<readonly IncidentRecord[]> = signal<readonly IncidentRecord[]>([])
  /** Number of all matching incidents; undefined until the first page has arrived. */
  readonly total: Signal<number | undefined> = signal<number | undefined>(undefined)
  /** False: `total` is a lower bound. */
  readonly exact: Signal<boolean> = signal(true)
  /** Accepted incidents that are in no list yet. */
  readonly unapplied: Signal<number> = signal(0)
  readonly error: Signal<ApiError | undefined> = signal<ApiError | undefined>(undefined)
  /** New incidents that are not shown until the reader is at the top. */
  readonly unseen: Signal<number> = signal(0)
  readonly query: string
  /** Scroll position in pixels. */
  top = 0
  #next: string | null = null
  #held: IncidentPage | undefined
  #loading = false

  constructor(query: string) {
    this.query = query
  }

  /**
   * Reads the first page again. New rows are added only while the reader is at the top, so that no row moves under a
   * finger.
   */
  readonly refresh = oneAtATime(() => this.#refresh())

  async #refresh(): Promise<void> {
    const page = await this.#filled(FIRST, '')
    if (page === undefined) return
    this.total.value = page.total
    this.exact.value = page.total_is_exact
    this.unapplied.value = page.unapplied
    const rows = this.rows.peek()
    const known = new Set(rows.map(({ id }) => id))
    const unseen = page.incidents.filter(({ id }) => !known.has(id)).length
    if (rows.length === 0 || unseen === 0 || this.top === 0) return this.#show(page)
    this.#held = page
    this.unseen.value = unseen
    this.rows.value = updated(rows, page.incidents)
  }

  /** Adds the new incidents at the top. */
  showUnseen(): void {
    if (this.#held !== undefined) this.#show(this.#held)
  }

  async more(): Promise<void> {
    if (this.#next === null || this.#loading) return
    this.#loading = true
    const page = await this.#filled(MORE, this.#next)
    this.#loading = false
    if (page === undefined) return
    this.#next = page.next_cursor
    const known = new Set(this.rows.peek().map(({ id }) => id))
    this.rows.value = [...this.rows.peek(), ...page.incidents.filter(({ id }) => !known.has(id))]
  }

  #show(page: IncidentPage): void {
    const rows = this.rows.peek()
    const last = page.incidents.at(-1)?.id
    const joint = page.next_cursor === null ? -1 : rows.findIndex(({ id }) => id === last)
    // Without a common row there would be a gap: the older rows are dropped and read again when they come into view.
    if (joint < 0) this.#next = page.next_cursor
    this.rows.value = joint < 0 ? page.incidents : [...page.incidents, ...rows.slice(joint + 1)]
    this.#held = undefined
    this.unseen.value = 0
  }

  /** Skips empty pages: a page covers a bounded stretch, in which nothing may match. */
  async #filled(limit: number, cursor: string): Promise<IncidentPage | undefined> {
    let page = await this.#page(limit, cursor)
    while (page?.incidents.length === 0 && page.next_cursor !== null) page = await this.#page(limit, page.next_cursor)
    return page
  }

  async #page(limit: number, cursor: string): Promise<IncidentPage | undefined> {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    try {
      const page = await get<IncidentPage>(
        `/api/admin/incidents?limit=${limit}${after}${this.query && `&${this.query}`}`,
      )
      this.error.value = undefined
      return page
    } catch (error) {
      this.error.value = messageOf(error)
      return undefined
    }
  }
}

function updated(rows: readonly IncidentRecord[], newer: readonly IncidentRecord[]): readonly IncidentRecord[] {
  const byId = new Map(newer.map((each) => [each.id, each]))
  return rows.map((row) => byId.get(row.id) ?? row)
}

let kept: IncidentList | undefined

/** Returns the list of a query. The last one is kept with its scroll position, for when the reader comes back. */
export function listOf(query: string): IncidentList {
  if (kept?.query !== query) kept = new IncidentList(query)
  return kept
}
