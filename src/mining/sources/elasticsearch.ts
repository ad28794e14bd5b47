import { CodedError } from '../../domain/errors.ts'
import { isObject } from '../../text/json-object.ts'
import type { SourceOptions } from '../options.ts'
import type { Cursor, LogSource, Pulled, Query, RawEvent, SourceDeps } from './contract.ts'
import { authHeadersOf } from './query.ts'
import { eventOf, withFields } from './records.ts'

interface Hit {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly event: RawEvent | undefined
}

interface TimePosition {
  /** Time of the last document; epoch milliseconds. */
  readonly since: number
  /** Ids of the documents of that millisecond that were already read. */
  readonly seen: readonly string[]
}

const PAGE = 1_000
/** Most ids that one query excludes. Further documents of the same millisecond are skipped. */
const MAX_SEEN = 10_000

/**
 * Queries the documents from the time of the last one on, oldest first. Documents of that millisecond that were already
 * read are excluded by their ids.
 */
export function createElasticsearchSource(
  options: SourceOptions['elasticsearch'],
  { now, query }: SourceDeps,
): LogSource {
  const ask = searchAnyAddress(options, query)
  return {
    async pull(cursor, signal): Promise<Pulled> {
      const until = now() - options.reorderWindowMs
      const position = positionOf(cursor, until)
      if (until <= position.since) return { events: [], cursor: cursor ?? cursorOf(position), more: false }
      const hits = hitsOf(await ask(searchOf(options, position, until), signal), options)
      return toPulled(hits, position)
    },
  }
}

function toPulled(hits: readonly Hit[], { since, seen }: TimePosition): Pulled {
  const events = hits.flatMap(({ event }) => event ?? [])
  const last = hits.at(-1)?.at ?? since
  const atLast = hits.flatMap(({ at, id }) => (at === last ? [id] : []))
  const known = last === since ? [...seen, ...atLast] : atLast
  const more = hits.length >= PAGE
  if (known.length < MAX_SEEN) return { events, cursor: cursorOf({ since: last, seen: known }), more }
  const note = `more than ${MAX_SEEN} documents of one millisecond: the rest is skipped`
  return { events, cursor: cursorOf({ since: last + 1, seen: [] }), more, note }
}

function searchOf(
  { timeField, query }: SourceOptions['elasticsearch'],
  { since, seen }: TimePosition,
  until: number,
): object {
  const range = { [timeField]: { gte: since, lt: until, format: 'epoch_millis' } }
  return {
    size: PAGE,
    // Returns nanosecond times in milliseconds as well.
    sort: [{ [timeField]: { order: 'asc', numeric_type: 'date', unmapped_type: 'date' } }],
    track_total_hits: false,
    query: {
      bool: {
        filter: [{ range }, { query_string: { query } }],
        ...(seen.length > 0 && { must_not: [{ ids: { values: seen } }] }),
      },
    },
  }
}

type SearchRequest = (search: object, signal: AbortSignal) => Promise<unknown>

/** Sends a search to the node that answered last, then to the others. Rejects with source_failed when all fail. */
function searchAnyAddress(
  { addresses, index, apiKey: key, ...rest }: SourceOptions['elasticsearch'],
  query: Query,
): SearchRequest {
  const auth = authHeadersOf({ scheme: 'ApiKey', key, ...rest, addresses })
  const path = `/${index.split(',').map(encodeURIComponent).join(',')}/_search`
  let at = 0
  return async (json, signal) => {
    let failure: unknown = new CodedError('source_failed', 'no address is configured')
    for (let tried = 0; tried < addresses.length; tried++) {
      try {
        return await query({ url: `${addresses[at]}${path}`, ...auth, json, signal })
      } catch (error) {
        signal.throwIfAborted()
        failure = error
        at = (at + 1) % addresses.length
      }
    }
    throw failure
  }
}

function hitsOf(answer: unknown, { messageField, extraFields }: SourceOptions['elasticsearch']): Hit[] {
  const hits = isObject(answer) && isObject(answer.hits) ? answer.hits.hits : undefined
  if (!Array.isArray(hits)) throw new CodedError('source_failed', 'Elasticsearch answered without hits.hits')
  return hits.flatMap((hit: unknown): Hit[] => {
    if (!isObject(hit) || typeof hit._id !== 'string') return []
    const at = Array.isArray(hit.sort) ? Number(hit.sort[0]) : Number.NaN
    if (!Number.isFinite(at))
      throw new CodedError('source_failed', 'a document has no time: elasticsearch.time_field must name a date field')
    const event = eventOf(hit._source, messageField)
    return [{ id: hit._id, at, event: event && withFields(event, hit._source, extraFields) }]
  })
}

const cursorOf = ({ since, seen }: TimePosition): Cursor => ({ since, seen })

function positionOf(cursor: Cursor | undefined, now: number): TimePosition {
  const { since, seen } = cursor ?? {}
  return { since: typeof since === 'number' ? since : now, seen: Array.isArray(seen) ? seen : [] }
}
