import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { admin, post } from '../net/requests.ts'
import { until } from '../until.ts'
import { type AuditedProvider, PAGER } from './audited-provider.ts'

interface Detail {
  readonly deliveries: readonly { readonly channel: string; readonly state: string; readonly may_duplicate: boolean }[]
  readonly oncall: { readonly state: string; readonly attempts: readonly { readonly may_duplicate: boolean }[] } | null
}
interface Found {
  readonly total: number
  readonly total_is_exact: boolean
}

interface Audit {
  readonly providers: readonly AuditedProvider[]
  /** Returns how many incidents with a mark are on record. */
  recorded(mark: string): Promise<number>
}

const isDone = ({ deliveries, oncall }: Detail) =>
  deliveries.every(({ state }) => state === 'sent') && (oncall === null || oncall.state === 'paged')

interface AuditResult {
  /** Incidents that were answered 201, or 200 when they were posted again with their key. */
  readonly accepted: number
  /** Incidents that were posted again because the outcome of the first post was unknown. */
  readonly again: number
  /** Deliveries and pages that arrived more than once. All of them have `may_duplicate`. */
  readonly duplicates: number
}

const POSTERS = 8
const PAUSE_MS = 15
const RETRY_MS = 50
/** Between two searches: the index is brought up to date in the time that they leave. */
const INDEX_LAG_MS = 500

/**
 * Posts numbered incidents, remembers which were accepted, and compares that with the service's records and with its
 * providers.
 */
export class Ledger {
  /** Ids by mark, the number that every template prints. */
  readonly accepted = new Map<string, string>()
  /** Posted with an idempotency key, outcome unknown: posted again with the same key. */
  readonly #unknown = new Set<string>()
  readonly #again = new Set<string>()
  #posted = 0
  readonly #posters: number
  readonly #pauseMs: number
  readonly #isFull: () => boolean

  /**
   * @param posters clients of one `load`
   * @param pauseMs after each post of a client
   * @param isFull while it returns true nothing is posted
   */
  constructor(posters = POSTERS, pauseMs = PAUSE_MS, isFull = () => false) {
    this.#posters = posters
    this.#pauseMs = pauseMs
    this.#isFull = isFull
  }

  /**
   * Posts until `signal` aborts or `count` more incidents are accepted. A refused post, or one whose connection broke,
   * is repeated.
   */
  async load(url: string, signal: AbortSignal, count = 500): Promise<void> {
    const end = this.accepted.size + count
    const poster = async () => {
      while (!signal.aborted && this.accepted.size < end) {
        if (!this.#isFull()) await this.#post(url).catch(() => pause(RETRY_MS))
        await pause(this.#pauseMs)
      }
    }
    await Promise.all(Array.from({ length: this.#posters }, poster))
  }

  /** Every second incident has a key and is repeated until it is known to be accepted. */
  async #post(url: string): Promise<void> {
    const [unknown] = this.#unknown
    const mark = unknown ?? `mark-${this.#posted++}-end`
    if (unknown !== undefined) this.#again.add(mark)
    this.#unknown.delete(mark)
    const keyed = unknown !== undefined || this.#posted % 2 === 0
    const id = await this.#accept(url, mark, keyed).catch((error) => {
      if (keyed) this.#unknown.add(mark)
      throw error
    })
    if (id !== undefined) this.accepted.set(mark, id)
    else if (keyed) this.#unknown.add(mark)
  }

  /** Returns the id; undefined when the post was refused. */
  async #accept(url: string, mark: string, keyed: boolean): Promise<string | undefined> {
    const headers: { [name: string]: string } = keyed ? { 'Idempotency-Key': mark } : {}
    const answer = await post(url, { title: mark, ServiceName: mark, Logs: 'x'.repeat(300) }, headers)
    await answer.arrayBuffer()
    if (answer.status === 503) return undefined
    assert.ok(answer.status === 201 || (keyed && answer.status === 200), `${mark} was answered ${answer.status}`)
    return answer.headers.get('x-incident-id') ?? assert.fail('an answer without X-Incident-Id')
  }

  /**
   * Waits until every accepted incident is on record once and with every provider; those that arrived twice must have
   * `may_duplicate`.
   * @param recorded returns how many incidents with a mark are on record
   */
  async audit(
    url: string,
    providers: readonly AuditedProvider[],
    recorded = (mark: string) => foundBySearch(url, mark),
  ): Promise<AuditResult> {
    const resend = async () => {
      if (this.#unknown.size > 0) await this.#post(url)
      return this.#unknown.size
    }
    await until(resend, (left) => left === 0)
    for (const provider of providers) await this.#allArrived(provider)
    const rows = [...this.accepted]
    let duplicates = 0
    const auditor = async () => {
      for (let row = rows.pop(); row; row = rows.pop())
        duplicates += await this.#auditOne(url, row, { providers, recorded })
    }
    await Promise.all(Array.from({ length: POSTERS }, auditor))
    return { accepted: this.accepted.size, again: this.#again.size, duplicates }
  }

  /** Returns the number of its deliveries and pages that arrived more than once. */
  async #auditOne(url: string, [mark, id]: readonly [string, string], { providers, recorded }: Audit): Promise<number> {
    const detail = await until(() => admin<Detail>(url, `/api/admin/incidents/${id}`), isDone)
    if (this.#again.has(mark)) {
      const total = await recorded(mark)
      assert.equal(total, 1, `${mark} is on record ${total} times`)
    }
    const repeated = providers.filter(({ received }) => (received.get(mark) ?? 0) > 1)
    for (const { kind, received } of repeated)
      assert.ok(
        mayDuplicate(detail, kind),
        `${mark} arrived ${received.get(mark)} times at ${kind} without may_duplicate`,
      )
    return repeated.length
  }

  /** However many are missing: it fails when none arrives any more. */
  async #allArrived(provider: AuditedProvider): Promise<void> {
    const missing = () => this.#missing(provider)
    for (let before = missing().length; before > 0; )
      before = (await until(missing, ({ length }) => length < before)).length
  }

  #missing({ received }: AuditedProvider): string[] {
    return [...this.accepted.keys()].filter((mark) => !received.has(mark))
  }
}

/** While the index lags behind, a search ends before it has seen all. */
async function foundBySearch(url: string, mark: string): Promise<number> {
  const found = () => admin<Found>(url, `/api/admin/incidents?q=${mark}`)
  return (await until(found, (each) => each.total_is_exact, { everyMs: INDEX_LAG_MS })).total
}

/** True when the record of an incident says that its message, or its page, may have arrived more than once. */
function mayDuplicate({ deliveries, oncall }: Detail, kind: string): boolean {
  if (kind === PAGER) return oncall?.attempts.some(({ may_duplicate }) => may_duplicate) ?? false
  return deliveries.find(({ channel }) => channel === kind)?.may_duplicate ?? false
}
