import { type Signal, signal } from '@preact/signals'
import { type ApiError, get } from '../api/client.ts'
import { oneAtATime } from '../api/one-at-a-time.ts'
import { messageOf } from '../api/resource.ts'

/** Rows in the first page. When all of them are new there may be more new ones. */
export const FIRST = 100
const MORE = 500

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** Number that the heading shows. */
  readonly total: number
  /** False: `total` is a lower bound. */
  readonly exact?: boolean
  /** Accepted incidents that are in no list yet. */
  readonly unapplied?: number
  readonly next: string | null
}

interface Identified {
  readonly id: string | number
}

/**
 * Opens the lists of a resource, one for each query. The last one is kept with its scroll position, for when the reader
 * comes back.
 */
export function openLists<Page, Row extends Identified>(path: string, pageOf: (page: Page) => ListPage<Row>) {
  let kept: LiveList<Row> | undefined
  return (query: string): LiveList<Row> => {
    if (kept?.query !== query) {
      kept = new LiveList(query, async (limit, cursor) => {
        const parameters = new URLSearchParams(query)
        parameters.set('limit', String(limit))
        if (cursor !== '') parameters.set('cursor', cursor)
        return pageOf(await get<Page>(`${path}?${parameters}`))
      })
    }
    return kept
  }
}

/** The rows that match one filter, in the order of the service, loaded as far as the reader has scrolled. */
export class LiveList<Row extends Identified> {
  readonly rows: Signal<readonly Row[]> = signal<readonly Row[]>([])
  /** The first page as it was read last; undefined until it has arrived. */
  readonly newest: Signal<ListPage<Row> | undefined> = signal<ListPage<Row> | undefined>(undefined)
  readonly error: Signal<ApiError | undefined> = signal<ApiError | undefined>(undefined)
  /** New rows that are not shown until the reader is at the top. */
  readonly unseen: Signal<number> = signal(0)
  readonly query: string
  /** Scroll position in pixels. */
  top = 0
  #next: string | null = null
  #held: ListPage<Row> | undefined
  #loading = false
  readonly #read: (limit: number, cursor: string) => Promise<ListPage<Row>>

  /** @param read reads the page after a cursor; '' is the first one */
  constructor(query: string, read: (limit: number, cursor: string) => Promise<ListPage<Row>>) {
    this.query = query
    this.#read = read
  }

  /** All rows are loaded. */
  get complete(): boolean {
    return this.#next === null
  }

  /**
   * Reads the first page again. New rows are added only while the reader is at the top, so that no row moves under a
   * finger.
   */
  readonly refresh = oneAtATime(() => this.#refresh())

  async #refresh(): Promise<void> {
    const page = await this.#filled(FIRST, '')
    if (page === undefined) return
    this.newest.value = page
    const rows = this.rows.peek()
    const known = new Set(rows.map(({ id }) => id))
    const unseen = page.rows.filter(({ id }) => !known.has(id)).length
    if (rows.length === 0 || this.top === 0) return this.#show(page)
    if (unseen > 0) this.#held = page
    this.unseen.value = unseen
    this.rows.value = updated(rows, page.rows)
  }

  /** Adds the new rows at the top. */
  showUnseen(): void {
    if (this.#held !== undefined) this.#show(this.#held)
  }

  async more(): Promise<void> {
    if (this.#next === null || this.#loading) return
    this.#loading = true
    const page = await this.#filled(MORE, this.#next)
    this.#loading = false
    if (page === undefined) return
    this.#next = page.next
    const known = new Set(this.rows.peek().map(({ id }) => id))
    this.rows.value = [...this.rows.peek(), ...page.rows.filter(({ id }) => !known.has(id))]
  }

  #show(page: ListPage<Row>): void {
    const older = this.#olderThan(page)
    // A page that does not join them would leave a gap, so they are read again when they come into view.
    if (older === undefined) this.#next = page.next
    this.rows.value = [...page.rows, ...(older ?? [])]
    this.#held = undefined
    this.unseen.value = 0
  }

  /** Returns the loaded rows that follow the page; undefined when that cannot be told. */
  #olderThan({ rows: newest, next }: ListPage<Row>): readonly Row[] | undefined {
    const rows = this.rows.peek()
    const last = newest.at(-1)?.id
    const joint = next === null ? -1 : rows.findIndex(({ id }) => id === last)
    const known = new Set(newest.map(({ id }) => id))
    // A row above the joint that is not in the page has moved down, or matches no more.
    if (joint < 0 || rows.slice(0, joint).some(({ id }) => !known.has(id))) return undefined
    return rows.slice(joint + 1).filter(({ id }) => !known.has(id))
  }

  /** Skips empty pages: a page covers a bounded stretch, in which nothing may match. */
  async #filled(limit: number, cursor: string): Promise<ListPage<Row> | undefined> {
    let page = await this.#page(limit, cursor)
    while (page?.rows.length === 0 && page.next !== null) page = await this.#page(limit, page.next)
    return page
  }

  async #page(limit: number, cursor: string): Promise<ListPage<Row> | undefined> {
    try {
      const page = await this.#read(limit, cursor)
      this.error.value = undefined
      return page
    } catch (error) {
      this.error.value = messageOf(error)
      return undefined
    }
  }
}

function updated<Row extends Identified>(rows: readonly Row[], newer: readonly Row[]): readonly Row[] {
  const byId = new Map(newer.map((each) => [each.id, each]))
  return rows.map((row) => byId.get(row.id) ?? row)
}
