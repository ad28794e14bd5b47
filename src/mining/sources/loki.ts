import { hash } from 'node:crypto'
import { CodedError } from '../../domain/errors.ts'
import { isObject } from '../../text/json-object.ts'
import type { SourceOptions } from '../options.ts'
import { type Cursor, type LogSource, MAX_EVENT, type Pulled, type RawEvent, type SourceDeps } from './contract.ts'
import { authHeadersOf } from './query.ts'
import { textAt } from './records.ts'

interface LokiEntry {
  /** Nanoseconds since the epoch. */
  readonly at: bigint
  readonly id: string
  readonly event: RawEvent
}

const PAGE = 1_000
/** Default limit of Loki for one query. Further entries of the same nanosecond are skipped. */
const LARGEST_PAGE = 5_000
/** Entries younger than this are left for the next query, because Loki may still receive older ones. */
const INDEX_DELAY_MS = 2_000
const SERVICE_LABELS = ['service_name', 'service', 'app', 'job', 'container', 'component']

/**
 * Queries the entries from the time of the last one on, oldest first. Entries of that nanosecond that were already read
 * are recognised by their hash.
 */
export function createLokiSource(options: SourceOptions['loki'], { now, query }: SourceDeps): LogSource {
  const { address, token: key, tenantId, ...rest } = options
  const auth = authHeadersOf({ scheme: 'Bearer', key, ...rest, addresses: [address] })
  const headers = { ...auth.headers, ...(tenantId !== '' && { 'x-scope-orgid': tenantId }) }
  return {
    async pull(cursor, signal): Promise<Pulled> {
      const untilMs = now() - INDEX_DELAY_MS
      const { since, seen, page } = positionOf(cursor, untilMs)
      const end = BigInt(untilMs) * 1_000_000n
      if (end <= since) return { events: [], cursor: cursor ?? cursorOf(since, []), more: false }
      const span = { start: String(since), end: String(end), limit: String(page) }
      const search = new URLSearchParams({ query: options.query, ...span, direction: 'forward' })
      const url = `${address}/loki/api/v1/query_range?${search}`
      const entries = entriesOf(await query({ url, ...auth, headers, signal }))
      return toPulled(entries, { since, seen, page })
    },
  }
}

interface LokiPosition {
  /** Time of the last entry; nanoseconds since the epoch. */
  readonly since: bigint
  /** Hashes of the entries of that nanosecond that were already read. */
  readonly seen: readonly string[]
  readonly page: number
}

function toPulled(entries: readonly LokiEntry[], { since, seen, page }: LokiPosition): Pulled {
  const fresh = entries.filter(({ at, id }) => at > since || (at === since && !seen.includes(id)))
  const full = entries.length >= page
  const last = entries.at(-1)?.at ?? since
  const events = fresh.map(({ event }) => event)
  if (full && last === since) {
    // A full page within one nanosecond: request a larger page, then skip the rest of the nanosecond.
    if (page < LARGEST_PAGE)
      return { events, cursor: cursorOf(since, seenAt(entries, since), LARGEST_PAGE), more: true }
    return {
      events,
      cursor: cursorOf(since + 1n, []),
      more: true,
      note: 'more entries of one nanosecond than Loki returns: the rest is skipped',
    }
  }
  const kept = last === since ? [...seen, ...seenAt(fresh, since)] : seenAt(entries, last)
  return { events, cursor: cursorOf(last, kept), more: full }
}

const seenAt = (entries: readonly LokiEntry[], moment: bigint) =>
  entries.flatMap(({ at, id }) => (at === moment ? [id] : []))

const cursorOf = (since: bigint, seen: readonly string[], page = PAGE): Cursor => ({ since: String(since), seen, page })

function positionOf(cursor: Cursor | undefined, nowMs: number): LokiPosition {
  const { since, seen, page } = cursor ?? {}
  const known = typeof since === 'string' && /^\d{1,25}$/.test(since)
  return {
    since: known ? BigInt(since) : BigInt(nowMs) * 1_000_000n,
    seen: Array.isArray(seen) ? seen : [],
    page: page === LARGEST_PAGE ? LARGEST_PAGE : PAGE,
  }
}

/** Returns the entries of all streams, oldest first. Throws source_failed when the answer is not one of log lines. */
function entriesOf(answer: unknown): LokiEntry[] {
  const result = isObject(answer) && isObject(answer.data) ? answer.data.result : undefined
  if (!Array.isArray(result))
    throw new CodedError('source_failed', 'Loki answered without data.result: loki.query must be a log query')
  const entries = result.flatMap((stream: unknown) => (isObject(stream) ? streamOf(stream) : []))
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function streamOf({ stream, values }: { readonly [key: string]: unknown }): LokiEntry[] {
  if (!Array.isArray(values))
    throw new CodedError(
      'source_failed',
      'Loki answered with numbers: loki.query must be a log query, not a metric query',
    )
  const labels = isObject(stream) ? stream : {}
  const service = textAt(labels, SERVICE_LABELS)
  const name = JSON.stringify(labels)
  return values.flatMap((value: unknown): LokiEntry[] => {
    const [at, text] = Array.isArray(value) ? value : []
    if (typeof at !== 'string' || typeof text !== 'string' || !/^\d{1,25}$/.test(at)) return []
    const event = { text: text.slice(0, MAX_EVENT), ...(service !== undefined && { service }) }
    return [{ at: BigInt(at), id: hash('sha256', `${name}\n${text}`).slice(0, 16), event }]
  })
}
