import type { IncidentPage } from '../../api/incident.ts'
import { CodedError } from '../../domain/errors.ts'
import type { Status } from '../../domain/incident.ts'
import { CHANNEL_CODE, KIND, NOTIFY, STATE } from '../engine/column-codes.ts'
import type { SearchTerm } from '../engine/sql.ts'
import { type IncidentFilter, numberIn, pageOf, pageSize, type Where, whereOf } from '../incidents/filters.ts'
import { EFFECTIVE_STATUS, INCIDENT_COLUMNS, type IncidentRow } from '../incidents/rows.ts'
import { incidentRecord } from '../incidents/views.ts'
import type { PayloadSlice } from '../journal/payloads.ts'
import type { StoreParts } from '../parts.ts'
import { documentOf, facetTerms, type SearchableIncident } from './document.ts'
import { SEARCHABLE_COLUMNS } from './fulltext.ts'
import { wordsOf } from './words.ts'

/**
 * Bounds of one call over incidents that are not indexed: rows looked at by columns, rows read with their payload, and
 * bytes of those payloads.
 */
const MAX_WALKED = 20_000
const MAX_READ = 2_000
const MAX_READ_BYTES = 4 * 1024 * 1024
/** A filtered total above this is a lower bound: counting on would hold up turns. */
const MAX_COUNTED = 10_000

/** A query that is an id finds that incident only. */
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A list's filter in the two forms it is looked up by: SQL for rows that are not indexed, terms of the index. */
interface ListQuery extends Where {
  readonly status: Status | undefined
  readonly searchQuery: SearchQuery | undefined
  /** Terms of the index; none when the list is not filtered. */
  readonly terms: readonly SearchTerm[]
  /** Conditions that the index does not know. */
  readonly told: Where
}

type AppliedPage = Omit<IncidentPage, 'unapplied'>

/** Matches in the order of a list. */
interface Found {
  readonly seqs: readonly number[]
  /** Numbers below were not looked at; 0: all were. */
  readonly downTo: number
}

/**
 * Opens the list of incidents, newest first. Indexed incidents cost next to nothing. Newer ones are scanned, a bounded
 * stretch in each call, so a page may be short of its limit and still have a next one. Throws `bad_parameter`.
 */
export function openIncidentList(context: StoreParts) {
  const { db, counts } = context
  const row = db.query<IncidentRow>(`SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE seq = ?`)
  const newest = db.query<IncidentRow>(
    `SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const byId = db.query<IncidentRow>(`SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE id = ?`)
  const find = openSearch(context)

  function rowOf({ clauses, parameters }: Where, seq: number): IncidentRow[] {
    if (clauses.length === 0) return row.all(seq)
    return db
      .query<IncidentRow>(`SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE seq = ? AND ${clauses.join(' AND ')}`)
      .all(seq, ...parameters)
  }

  function unfiltered(before: number, limit: number): AppliedPage {
    const { page, last } = pageOf(newest.all(before, limit + 1), limit)
    return {
      incidents: page.map(incidentRecord),
      total: counts.incidents,
      total_is_exact: true,
      next_cursor: last === undefined ? null : String(last.seq),
    }
  }

  /** Walks incidents, a bounded stretch in each call, because the index does not know how they were told. */
  function walked({ clauses, parameters }: Where, before: number, limit: number): AppliedPage {
    const upper = Math.min(before, counts.appliedUpTo + 1)
    const lower = Math.max(0, upper - MAX_WALKED)
    const where = [...clauses, 'seq >= ? AND seq < ?'].join(' AND ')
    const rows = db.query<IncidentRow>(
      `SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE ${where} ORDER BY seq DESC LIMIT ?`,
    )
    const { page, last } = pageOf(rows.all(...parameters, lower, upper, limit + 1), limit)
    const end = last?.seq ?? lower
    const next = newest.get(end, 1) === undefined ? null : String(end)
    const isAll = next === null && before > counts.appliedUpTo
    return { incidents: page.map(incidentRecord), total: page.length, total_is_exact: isAll, next_cursor: next }
  }

  function filtered(listQuery: ListQuery, before: number, limit: number): AppliedPage {
    const { seqs, downTo, total, exact } = find(listQuery, before, limit + 1)
    const { page, last = downTo } = pageOf(seqs, limit)
    return {
      incidents: page
        .flatMap((seq) => rowOf(listQuery.told, seq))
        .filter(hasStatus(listQuery))
        .map(incidentRecord),
      total,
      total_is_exact: exact && listQuery.told.clauses.length === 0,
      next_cursor: last ? String(last) : null,
    }
  }

  return function incidents(filter: IncidentFilter): AppliedPage {
    const [before, limit] = [numberIn(filter.cursor), pageSize(filter.limit)]
    if (filter.q !== undefined && ID.test(filter.q)) return allOf(byId.all(filter.q.toLowerCase()))
    const listQuery = listQueryOf(filter)
    if (listQuery.terms.length > 0) return filtered(listQuery, before, limit)
    return listQuery.told.clauses.length > 0 ? walked(listQuery.told, before, limit) : unfiltered(before, limit)
  }
}

/** The index may be behind for incidents whose status changed. */
const hasStatus =
  ({ status }: ListQuery) =>
  (row: IncidentRow) =>
    status === undefined || row.status === status

const allOf = (rows: readonly IncidentRow[]): AppliedPage => ({
  incidents: rows.map(incidentRecord),
  total: rows.length,
  total_is_exact: true,
  next_cursor: null,
})

/** Scans incidents that are not indexed yet, and asks the index for all older ones. */
function openSearch({ db, engine, counts, payloads }: StoreParts) {
  const between = db.query<object>('SELECT 1 FROM incidents WHERE seq > ? AND seq < ? LIMIT 1')

  function scanUnindexed({ clauses, parameters, searchQuery }: ListQuery, before: number): Found {
    const upper = Math.min(before, counts.appliedUpTo + 1)
    let lower = Math.max(counts.indexedThrough + 1, upper - (searchQuery ? MAX_READ : MAX_WALKED))
    const where = [...clauses, 'seq >= ?', 'seq < ?'].join(' AND ')
    const rows = db.query<Omit<SearchableIncident, 'content'> & PayloadSlice>(
      `SELECT ${searchQuery ? SEARCHABLE_COLUMNS : 'seq FROM incidents'} WHERE ${where} ORDER BY seq DESC`,
    )
    const seqs: number[] = []
    let bytes = 0
    for (const each of lower < upper ? rows.all(...parameters, lower, upper) : []) {
      if (!searchQuery || matches(documentOf({ ...each, content: payloads.of(each) }), searchQuery)) seqs.push(each.seq)
      bytes += searchQuery ? each.content_bytes : 0
      if (bytes < MAX_READ_BYTES) continue
      lower = each.seq
      break
    }
    return { seqs, downTo: between.get(counts.indexedThrough, lower) === undefined ? 0 : lower }
  }

  return function find(listQuery: ListQuery, before: number, limit: number) {
    const end = counts.appliedUpTo + 1
    const match = engine.search.matchOf(listQuery.terms)
    const top = scanUnindexed(listQuery, end)
    const { seqs, downTo } = before >= end ? top : scanUnindexed(listQuery, before)
    const full = downTo > 0 || seqs.length >= limit
    const older = full
      ? []
      : engine.search.find(match, Math.min(before, counts.indexedThrough + 1), limit - seqs.length)
    const total = top.seqs.length + engine.search.count(match, MAX_COUNTED + 1)
    return {
      seqs: [...seqs, ...older],
      downTo,
      total: Math.min(total, MAX_COUNTED),
      exact: top.downTo === 0 && total <= MAX_COUNTED,
    }
  }
}

function listQueryOf(filter: IncidentFilter): ListQuery {
  const { q, status, severity, service, source, channel } = filter
  const searchQuery = q === undefined || q === '' ? undefined : parseSearchQuery(q)
  const facets = facetTerms({ status, severity, service, source, channels: channel === undefined ? [] : [channel] })
  return {
    status,
    ...whereOf(
      status !== undefined && [`${EFFECTIVE_STATUS} = ?`, status],
      severity !== undefined && ['severity = ?', severity],
      service !== undefined && ['service = ?', service],
      source !== undefined && ['source = ?', source],
      channel !== undefined && ['channels_enabled & ? <> 0', 1 << CHANNEL_CODE[channel]],
    ),
    searchQuery,
    terms: [...facets.map((facet) => ({ words: [facet], isPrefix: false })), ...(searchQuery ?? [])],
    told: toldClauses(filter),
  }
}

const DELIVERIES = `SELECT 1 FROM dispatches WHERE incident = seq AND kind = ${KIND.delivery}`
const TOLD_CLAUSES = {
  message: `EXISTS (${DELIVERIES} AND bundle IS NULL AND state = ${STATE.sent})`,
  digest: `EXISTS (${DELIVERIES} AND bundle IS NOT NULL)`,
  nobody: `notify_status = ${NOTIFY.nobody}`,
  silenced: 'silence IS NOT NULL',
  waiting: `notify_status = ${NOTIFY.pending} AND EXISTS (${DELIVERIES} AND state <> ${STATE.sent})`,
} as const satisfies Record<NonNullable<IncidentFilter['notified']>, string>

/** Returns the conditions of the filters `notified`, `rule` and `digest` on rows of `incidents`, which the search index does not know. */
const toldClauses = ({ notified, rule, digest }: IncidentFilter): Where =>
  whereOf(
    notified !== undefined && [TOLD_CLAUSES[notified]],
    rule !== undefined && [RULE, `"name":${JSON.stringify(rule)}`],
    digest !== undefined && ['seq IN (SELECT incident FROM dispatches WHERE bundle = ?)', digest],
  )

/** Finds a text in the JSON of a decision, where only rules have a name, and where quotes in texts are escaped. */
const RULE = "decision IN (SELECT id FROM decisions WHERE replace(json, ?, '') <> json)"

/** All terms must match. */
type SearchQuery = readonly SearchTerm[]

const MAX_CHARACTERS = 200
const MAX_WORDS = 16
/** A shorter prefix matches so much that the search would hold up turns. */
const MIN_BEGINNING = 3

/**
 * Parses a search. Words match in any order; words in quotes (`"disk full"`), and words joined by other signs
 * (`db-3.west`), must be adjacent. The last word is a prefix unless it is quoted. Throws `bad_parameter`.
 */
function parseSearchQuery(text: string): SearchQuery {
  if (text.length > MAX_CHARACTERS) throw bad(`q is longer than ${MAX_CHARACTERS} characters`)
  const deps = [...text.matchAll(/"([^"]*)"|([^\s"]+)/g)].filter(([part]) => part !== 'AND')
  const terms = deps.flatMap(([, quoted, bare], at): SearchTerm[] => {
    const words = wordsOf(quoted ?? bare ?? '')
    const beginning = quoted === undefined && at === deps.length - 1 && (words.at(-1)?.length ?? 0) >= MIN_BEGINNING
    return words.length === 0 ? [] : [{ words, isPrefix: beginning }]
  })
  const words = terms.reduce((sum, term) => sum + term.words.length, 0)
  if (words === 0) throw bad('q holds no letter and no digit to look for')
  if (words > MAX_WORDS) throw bad(`q holds more than ${MAX_WORDS} words`)
  return terms
}

const bad = (message: string) => new CodedError('bad_parameter', message)

/** True when a text of `documentOf` matches all terms. */
function matches(document: string, searchQuery: SearchQuery): boolean {
  return searchQuery.every(({ words, isPrefix: open }) => document.includes(` ${words.join(' ')}${open ? '' : ' '}`))
}
