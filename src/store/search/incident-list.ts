import type { IncidentPage } from '../../api/incident.ts'
import { CodedError } from '../../domain/errors.ts'
import { CHANNEL_CODE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Parameter, query } from '../engine/statement.ts'
import { EFFECTIVE_STATUS } from '../incidents/effective-status.ts'
import { type IncidentFilter, pageSize } from '../incidents/filters.ts'
import { INCIDENT_COLUMNS, type IncidentRow } from '../incidents/rows.ts'
import { incidentRecord } from '../incidents/views.ts'
import type { PayloadSlice, Payloads } from '../journal/payloads.ts'
import { documentOf, facetTerms, type SearchableIncident } from './document.ts'
import { SEARCHABLE_COLUMNS } from './fulltext.ts'
import { matches, parseSearchQuery, type SearchQuery, toFtsMatch } from './query.ts'

/** Incidents that one call looks at where the index does not reach yet: by their columns, and by their texts. */
const MAX_WALKED = 20_000
const MAX_READ = 2_000
const MAX_READ_BYTES = 4 * 1024 * 1024
/** Beyond it a filtered total is a lower bound: nobody pages that far, and the disk's only writer has other work. */
const MAX_COUNTED = 10_000

/** Who looks for an id looks for nothing else. */
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** What a list is asked for, in the ways that it is looked for. */
interface ListQuery {
  readonly clauses: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly searchQuery: SearchQuery | undefined
  /** For the index. */
  readonly match: string
}

/** Matches in the order of a list. */
interface Found {
  readonly seqs: readonly number[]
  /** Nothing below was looked at; 0: everything was. */
  readonly downTo: number
}

interface Count {
  readonly total: number
  readonly exact: boolean
}

/**
 * Lists incidents, newest first. What the index knows costs next to nothing; what it does not know yet is looked at, a stretch a call: then a
 * page may be short of its limit and yet not the last one.
 */
export function openIncidentList(context: StoreContext, payloads: Pick<Payloads, 'of'>) {
  const { db, counts } = context
  const row = query<IncidentRow>(db, `SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE seq = ?`)
  const newest = query<IncidentRow>(
    db,
    `SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const byId = query<IncidentRow>(db, `SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE id = ?`)
  const find = openSearch(context, payloads)

  function unfiltered(before: number, limit: number): IncidentPage {
    const rows = newest.all(before, limit + 1)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      incidents: rows.slice(0, limit).map(incidentRecord),
      total: counts.incidents,
      total_is_exact: true,
      next_cursor: last === undefined ? null : String(last.seq),
    }
  }

  function filtered(listQuery: ListQuery, before: number, limit: number): IncidentPage {
    const { seqs, downTo, total, exact } = find(listQuery, before, limit + 1)
    const page = seqs.slice(0, limit)
    const last = seqs.length > limit ? page.at(-1) : downTo
    return {
      incidents: page.flatMap((seq) => row.all(seq)).map(incidentRecord),
      total,
      total_is_exact: exact,
      next_cursor: last ? String(last) : null,
    }
  }

  return function incidents(filter: IncidentFilter): IncidentPage {
    const [before, limit] = [beforeSeq(filter.cursor), pageSize(filter.limit)]
    if (filter.q !== undefined && ID.test(filter.q)) return pageOf(byId.all(filter.q.toLowerCase()))
    const listQuery = listQueryOf(filter)
    return listQuery.match === '' ? unfiltered(before, limit) : filtered(listQuery, before, limit)
  }
}

const pageOf = (rows: readonly IncidentRow[]): IncidentPage => ({
  incidents: rows.map(incidentRecord),
  total: rows.length,
  total_is_exact: true,
  next_cursor: null,
})

/** Looks for incidents above what is indexed in the incidents themselves, below in the index. */
function openSearch({ db, counts }: StoreContext, payloads: Pick<Payloads, 'of'>) {
  const indexed = query<{ seq: number }>(
    db,
    'SELECT rowid AS seq FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
  )
  const counted = query<{ count: number }>(
    db,
    `SELECT count(*) AS count FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ${MAX_COUNTED + 1})`,
  )

  const between = query<object>(db, 'SELECT 1 FROM incidents WHERE seq > ? AND seq < ? LIMIT 1')

  /** Those not indexed yet. */
  function scanUnindexed({ clauses, parameters, searchQuery }: ListQuery, before: number): Found {
    const upper = Math.min(before, counts.nextSeq)
    let lower = Math.max(counts.indexedThrough + 1, upper - (searchQuery ? MAX_READ : MAX_WALKED))
    const where = [...clauses, 'seq >= ?', 'seq < ?'].join(' AND ')
    const rows = query<Omit<SearchableIncident, 'content'> & PayloadSlice>(
      db,
      `SELECT ${searchQuery ? SEARCHABLE_COLUMNS : 'seq FROM incidents'} WHERE ${where} ORDER BY seq DESC`,
    )
    const seqs: number[] = []
    let bytes = 0
    for (const each of lower < upper ? rows.iterate(...parameters, lower, upper) : []) {
      if (!searchQuery || matches(documentOf({ ...each, content: payloads.of(each) }), searchQuery)) seqs.push(each.seq)
      bytes += searchQuery ? each.content_bytes : 0
      if (bytes < MAX_READ_BYTES) continue
      lower = each.seq
      break
    }
    return { seqs, downTo: between.get(counts.indexedThrough, lower) === undefined ? 0 : lower }
  }

  return function find(listQuery: ListQuery, before: number, limit: number): Found & Count {
    const top = scanUnindexed(listQuery, counts.nextSeq)
    const { seqs, downTo } = before >= counts.nextSeq ? top : scanUnindexed(listQuery, before)
    const full = downTo > 0 || seqs.length >= limit
    const older = full
      ? []
      : indexed.all(listQuery.match, Math.min(before, counts.indexedThrough + 1), limit - seqs.length)
    const total = top.seqs.length + (counted.get(listQuery.match)?.count ?? 0)
    return {
      seqs: [...seqs, ...older.map(({ seq }) => seq)],
      downTo,
      total: Math.min(total, MAX_COUNTED),
      exact: top.downTo === 0 && total <= MAX_COUNTED,
    }
  }
}

function listQueryOf({ q, status, severity, service, source, channel }: IncidentFilter): ListQuery {
  const searchQuery = q === undefined || q === '' ? undefined : parseSearchQuery(q)
  const columns: readonly (readonly [string, Parameter | undefined])[] = [
    [`${EFFECTIVE_STATUS} = ?`, status],
    ['severity = ?', severity],
    ['service = ?', service],
    ['source = ?', source],
    ['channels_enabled & ? <> 0', channel === undefined ? undefined : 1 << CHANNEL_CODE[channel]],
  ]
  const given = columns.flatMap(([clause, value]) => (value === undefined ? [] : [{ clause, value }]))
  const facetValues = {
    ...(status !== undefined && { status }),
    ...(severity !== undefined && { severity }),
    ...(service !== undefined && { service }),
    ...(source !== undefined && { source }),
    channels: channel === undefined ? [] : [channel],
  }
  return {
    clauses: given.map(({ clause }) => clause),
    parameters: given.map(({ value }) => value),
    searchQuery,
    match: toFtsMatch(searchQuery ?? [], facetTerms(facetValues)),
  }
}

function beforeSeq(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^\d{1,15}$/.test(cursor)) throw new CodedError('bad_parameter', 'cursor is not one that a list gave')
  return Number(cursor)
}
