import type { DigestDetail, DigestPage, DigestProblem, DigestRecord, DigestUpdate } from '../../../api/noise/digest.ts'
import { CodedError } from '../../../domain/errors.ts'
import type { Status } from '../../../domain/incident.ts'
import { SEVERITY_LEVELS } from '../../../domain/severity.ts'
import { isoTime, isoTimeOrNull } from '../../../text/iso-time.ts'
import { LEDGER_OFFSET } from '../../bundles/records.ts'
import { BUNDLE_KIND, BUNDLE_STATE, bundleKindName, KIND } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lanes } from '../../engine/lanes.ts'
import type { Parameter } from '../../engine/sql.ts'
import { query } from '../../engine/statement.ts'
import { pageSize } from '../../incidents/filters.ts'
import { LOUDEST_FIRST } from '../kinds.ts'
import type { Storms } from '../storms.ts'
import type { DigestFilter } from './filters.ts'

type StormReads = Pick<Storms, 'noiseOf' | 'nextAt'>

interface BundleRow {
  readonly id: number
  /** Number among the digests of storms. */
  readonly storm: number | null
  readonly destination: number
  readonly opened_at: number
  readonly closed_at: number | null
  readonly revision: number
  readonly folded: number
  readonly told: number
  readonly posted_at: number | null
  readonly dead_reason: string | null
  readonly may_duplicate: number | null
  readonly kind: number
  readonly state: number
  readonly due_at: number | null
  readonly problems: number
}

interface ProblemRow {
  readonly fingerprint: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly level: number
  readonly firing: number
  readonly resolved: number
  readonly singly: number
  readonly told_count: number
  readonly last_status: Status
  readonly first_id: string
  readonly first_at: number
  readonly last_id: string
  readonly last_at: number
}

type RevisionRow = Omit<DigestUpdate, 'notified_at'> & { readonly told_at: number }

/** Problems that are known from before the storm have no incident in it. */
const IN_STORM = 'firing + resolved + singly_firing + singly_resolved > 0'
const SELECT = `SELECT b.*, d.may_duplicate,
    (SELECT count(*) FROM bundle_kinds k WHERE k.bundle = b.id AND ${IN_STORM}) AS problems
  FROM bundles b LEFT JOIN dispatches d
    ON d.incident = 0 AND d.kind = ${KIND.digest} AND d.destination = b.destination AND d.number = b.id`
const MAX_LISTED = 1_000
const MAX_REVISIONS = 200

/** Opens the list of digests, newest first. Throws `bad_parameter` for a cursor that is not valid. */
export function openDigestList({ db, lanes }: StoreContext, storms: StormReads) {
  return function digests({ open, destination, limit, cursor }: DigestFilter): DigestPage {
    const size = pageSize(limit)
    const clauses: [string, ...Parameter[]][] = [['b.storm < ?', numberBefore(cursor)]]
    if (open !== undefined) clauses.push([`b.closed_at IS ${open ? '' : 'NOT '}NULL`])
    if (destination !== undefined) {
      const { channel, target } = destination
      const lane = lanes.all(channel).find((each) => (each.target ?? null) === target)
      clauses.push(['b.destination = ?', lane?.code ?? null])
    }
    const where = clauses.map(([clause]) => clause).join(' AND ')
    const rows = query<BundleRow>(db, `${SELECT} WHERE ${where} ORDER BY b.storm DESC LIMIT ?`).all(
      ...clauses.flatMap(([, ...parameters]) => parameters),
      size + 1,
    )
    const page = rows.slice(0, size)
    return {
      digests: page.map((row) => digestRecord(row, lanes, storms)),
      next_cursor: rows.length > size ? String(page.at(-1)?.storm) : null,
    }
  }
}

function numberBefore(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^\d{1,15}$/.test(cursor)) throw new CodedError('bad_parameter', 'cursor must be the next_cursor of an answer')
  return Number(cursor)
}

/** Opens the read of one digest with its problems and revisions. */
export function openDigestDetail({ db, lanes }: StoreContext, storms: StormReads) {
  const bundle = query<BundleRow>(db, `${SELECT} WHERE b.id = ?`)
  const sums = query<{ level: number; firing: number; resolved: number; singly: number }>(
    db,
    `SELECT level, sum(firing + singly_firing) AS firing, sum(resolved + singly_resolved) AS resolved,
       sum(singly_firing + singly_resolved) AS singly FROM bundle_kinds WHERE bundle = ? GROUP BY level`,
  )
  const problems = query<ProblemRow>(
    db,
    `SELECT *, singly_firing + singly_resolved AS singly FROM bundle_kinds WHERE bundle = ? AND ${IN_STORM}
     ORDER BY ${LOUDEST_FIRST} LIMIT ${MAX_LISTED}`,
  )
  const revisions = query<RevisionRow>(
    db,
    `SELECT number, through, way, told_at, message_id FROM revisions WHERE bundle = ? ORDER BY number DESC LIMIT ${MAX_REVISIONS}`,
  )
  const text = query<{ text: string }>(
    db,
    "SELECT text FROM attempts WHERE incident = ? AND channel = ? AND outcome = 'sent' AND text IS NOT NULL ORDER BY number DESC LIMIT 1",
  )
  const stored = query<{ stored: number }>(db, 'SELECT count(*) AS stored FROM dispatches WHERE bundle = ?')
  return function digest(number: number): DigestDetail | undefined {
    const row = bundle.get(number)
    if (row === undefined) return undefined
    const bySeverity = sums.all(number)
    return {
      ...digestRecord(row, lanes, storms),
      severities: severitiesOf(bySeverity),
      resolved: bySeverity.reduce((sum, { resolved }) => sum + resolved, 0),
      by_message: bySeverity.reduce((sum, { singly }) => sum + singly, 0),
      problem_list: problems.all(number).map(problemOf),
      updates: revisions.all(number).map(({ told_at, ...update }) => ({ ...update, notified_at: isoTime(told_at) })),
      text: text.get(LEDGER_OFFSET - number, row.destination)?.text ?? null,
      stored: stored.get(number)?.stored ?? 0,
    }
  }
}

function digestRecord(row: BundleRow, lanes: Lanes, { noiseOf, nextAt }: StormReads): DigestRecord {
  const lane = lanes.ofChannel(row.destination)
  const { destination, target = null } = lane
  const isStorm = row.kind === BUNDLE_KIND.storm
  const open = row.closed_at === null && isStorm ? noiseOf(lane)?.storm.state.storm : undefined
  const isWaiting = row.closed_at === null && (row.told < row.folded || row.state === BUNDLE_STATE.ending)
  const stormAt = open === undefined ? Infinity : nextAt(lane)
  const nextRevisionAt = isWaiting ? (isStorm ? stormAt : (row.due_at ?? Infinity)) : Infinity
  return {
    number: row.id,
    kind: bundleKindName(row.kind),
    channel: destination,
    target,
    state: row.dead_reason !== null ? 'dead' : row.closed_at === null ? 'open' : 'closed',
    opened_at: isoTime(row.opened_at),
    closed_at: isoTimeOrNull(row.closed_at),
    incidents: row.folded,
    notified: row.told,
    problems: isStorm ? row.problems : 1,
    urgent: open?.urgent === true,
    update: row.revision,
    posted_at: isoTimeOrNull(row.posted_at),
    next_update_at: nextRevisionAt === Infinity ? null : isoTime(nextRevisionAt),
    dead_reason: row.dead_reason,
    may_duplicate: row.may_duplicate === 1,
  }
}

type Severities = { readonly [level in (typeof SEVERITY_LEVELS)[number]]: number }

/** Counts by the loudest severity of each problem, as the digest does. */
function severitiesOf(rows: readonly { readonly level: number; readonly firing: number }[]): Severities {
  const firing = new Map(rows.map((row) => [row.level, row.firing]))
  return Object.fromEntries(SEVERITY_LEVELS.map((level, rank) => [level, firing.get(rank) ?? 0])) as Severities
}

/** Resolved problems after all others; then by severity, then by number of incidents. */
const problemOf = (row: ProblemRow): DigestProblem => ({
  fingerprint: row.fingerprint,
  title: row.title,
  service: row.service,
  severity: SEVERITY_LEVELS[row.level] ?? row.severity,
  status: row.last_status,
  firing: row.firing,
  resolved: row.resolved,
  by_message: row.singly,
  notified: row.told_count,
  first_incident_id: row.first_id,
  first_at: isoTime(row.first_at),
  last_incident_id: row.last_id,
  last_at: isoTime(row.last_at),
})
