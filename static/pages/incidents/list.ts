import { type Signal, signal } from '@preact/signals'
import type { IncidentPage, IncidentRecord } from '../../../src/api/incident.ts'
import { type ApiError, get } from '../../api/client.ts'
import { oneAtATime } from '../../api/one-at-a-time.ts'
import { messageOf } from '../../api/resource.ts'

/** Incidents that are read at first; so many unseen ones may be more. */
export const FIRST = 100
const MORE = 500

/** The incidents under one filter, newest first, as far as they were scrolled to. */
export class IncidentList {
  readonly rows: Signal<readonly IncidentRecord[]> = signal<readonly IncidentRecord[]>([])
  /** Of all pages; undefined until the first came. */
  readonly total: Signal<number | undefined> = signal<number | undefined>(undefined)
  readonly error: Signal<ApiError | undefined> = signal<ApiError | undefined>(undefined)
  /** Incidents above the first row that wait for the reader to come up. */
  readonly unseen: Signal<number> = signal(0)
  readonly query: string
  /** Where the reader is, in pixels. */
  top = 0
  #next: string | null = null
  #held: IncidentPage | undefined
  #loading = false

  constructor(query: string) {
    this.query = query
  }

  /** Reads the newest anew. Rows are only put above the others while the reader is at the top: nothing may move under a finger. */
  readonly refresh = oneAtATime(() => this.#refresh())

  async #refresh(): Promise<void> {
    const page = await this.#page(FIRST)
    if (page === undefined) return
    this.total.value = page.total
    const rows = this.rows.peek()
    const known = new Set(rows.map(({ id }) => id))
    const unseen = page.incidents.filter(({ id }) => !known.has(id)).length
    if (rows.length === 0 || unseen === 0 || this.top === 0) return this.#show(page)
    this.#held = page
    this.unseen.value = unseen
    this.rows.value = updated(rows, page.incidents)
  }

  /** Puts what came meanwhile on top. */
  showUnseen(): void {
    if (this.#held !== undefined) this.#show(this.#held)
  }

  async more(): Promise<void> {
    if (this.#next === null || this.#loading) return
    this.#loading = true
    const page = await this.#page(MORE, this.#next)
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
    // Without a row in common there would be a gap: the older rows are read again when they are scrolled to.
    if (joint < 0) this.#next = page.next_cursor
    this.rows.value = joint < 0 ? page.incidents : [...page.incidents, ...rows.slice(joint + 1)]
    this.#held = undefined
    this.unseen.value = 0
  }

  async #page(limit: number, cursor = ''): Promise<IncidentPage | undefined> {
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

/** The list of a query: the one that was read last is kept, with the reader's place in it. */
export function listOf(query: string): IncidentList {
  if (kept?.query !== query) kept = new IncidentList(query)
  return kept
}
