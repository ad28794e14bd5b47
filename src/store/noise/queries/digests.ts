import type {
  DigestDetail,
  DigestPage,
  DigestPlace,
  DigestPlacePage,
  DigestProblem,
  DigestRecord,
  DigestUpdate,
} from '../../../api/noise/digest.ts'
import type { Status } from '../../../domain/incident.ts'
import { SEVERITY_LEVELS } from '../../../domain/severity.ts'
import { isoTime, isoTimeOrNull } from '../../../text/iso-time.ts'
import { LEDGER_OFFSET } from '../../bundles/records.ts'
import type { DiskRow } from '../../bundles/rows.ts'
import type { Storms } from '../../bundles/storms.ts'
import { emptySummary, type Summary } from '../../bundles/sums/summary.ts'
import { singlesOf, type Tally, toldOf } from '../../bundles/sums/tally.ts'
import { BUNDLE_KIND, BUNDLE_STATE, bundleKindName, KIND } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lanes } from '../../engine/lanes.ts'
import { numberIn, pageOf, pageSize, whereOf } from '../../incidents/filters.ts'
import { EFFECTIVE_STATUS } from '../../incidents/rows.ts'
import type { NoiseParts } from '../noise.ts'
import type { DigestFilter, PlaceFilter } from './filters.ts'

type StormReads = Pick<Storms, 'noiseOf' | 'nextAt'>

interface BundleRow
  extends Pick<
    DiskRow,
    'id' | 'destination' | 'kind' | 'state' | 'due_at' | 'revision' | 'folded' | 'told' | 'summary'
  > {
  /** Number among the digests of storms. */
  readonly storm: number | null
  readonly opened_at: number
  readonly closed_at: number | null
  readonly posted_at: number | null
  readonly dead_reason: string | null
  readonly may_duplicate: number | null
}

type RevisionRow = Omit<DigestUpdate, 'notified_at'> & { readonly told_at: number }

const SELECT = `SELECT b.*, d.may_duplicate FROM bundles b LEFT JOIN dispatches d
    ON d.incident = 0 AND d.kind = ${KIND.digest} AND d.destination = b.destination AND d.number = b.id`
/** Digests that the list has; groups of one problem, which is told as without a group, are none. */
const LISTED = `(b.kind = ${BUNDLE_KIND.storm} OR b.kind = ${BUNDLE_KIND.group}) AND (b.storm IS NOT NULL OR b.folded > 0)`
const MAX_LISTED = 1_000
const MAX_REVISIONS = 200

/** Opens the list of digests, newest first. Throws `bad_parameter` for a cursor that is not valid. */
export function openDigestList({ db, lanes, storms }: NoiseParts) {
  return function digests({ open, destination, limit, cursor }: DigestFilter): DigestPage {
    const size = pageSize(limit)
    const code = destination && lanes.named(destination.channel, destination.target ?? undefined)?.code
    const { clauses, parameters } = whereOf(
      [`${LISTED} AND b.id < ?`, numberIn(cursor)],
      open !== undefined && [`b.closed_at IS ${open ? '' : 'NOT '}NULL`],
      destination !== undefined && ['b.destination = ?', code ?? null],
    )
    const rows = db.query<BundleRow>(`${SELECT} WHERE ${clauses.join(' AND ')} ORDER BY b.id DESC LIMIT ?`)
    const { page, last } = pageOf(rows.all(...parameters, size + 1), size)
    return {
      digests: page.map((row) => digestRecord(row, lanes, storms)),
      next_cursor: last === undefined ? null : String(last.id),
    }
  }
}

/** Opens the read of one digest with its problems and revisions. */
export function openDigestDetail({ db, lanes, storms, bundles }: NoiseParts) {
  const bundle = db.query<BundleRow>(`${SELECT} WHERE b.id = ?`)
  const revisions = db.query<RevisionRow>(
    `SELECT number, through, way, told_at, message_id FROM revisions WHERE bundle = ? ORDER BY number DESC LIMIT ${MAX_REVISIONS}`,
  )
  const text = db.query<{ text: string }>(
    "SELECT text FROM attempts WHERE incident = ? AND channel = ? AND outcome = 'sent' AND text IS NOT NULL ORDER BY number DESC LIMIT 1",
  )
  const stored = db.query<{ stored: number }>('SELECT count(*) AS stored FROM dispatches WHERE bundle = ?')
  return function digest(number: number): DigestDetail | undefined {
    const row = bundle.get(number)
    if (row === undefined) return undefined
    const { levels } = summaryOf(row)
    return {
      ...digestRecord(row, lanes, storms),
      severities: severitiesOf(levels),
      resolved: levels.reduce((sum, { resolved, singlyResolved }) => sum + resolved + singlyResolved, 0),
      by_message: levels.reduce((sum, { singlyFiring, singlyResolved }) => sum + singlyFiring + singlyResolved, 0),
      problem_list: bundles.tallies.loudest(number, MAX_LISTED).map((tally) => problemOf(tally, row.told)),
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
  const open = row.closed_at === null && isStorm ? noiseOf(lane)?.row?.bundle : undefined
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
    problems: isStorm || row.kind === BUNDLE_KIND.group ? summaryOf(row).problems : 1,
    urgent: open?.urgent === true,
    update: row.revision,
    posted_at: isoTimeOrNull(row.posted_at),
    next_update_at: nextRevisionAt === Infinity ? null : isoTime(nextRevisionAt),
    dead_reason: row.dead_reason,
    may_duplicate: row.may_duplicate === 1,
  }
}

type Severities = { readonly [level in (typeof SEVERITY_LEVELS)[number]]: number }

const summaryOf = ({ summary }: BundleRow): Summary => (summary === null ? emptySummary() : JSON.parse(summary))

/** Counts by the loudest severity of each problem, as the digest does. */
function severitiesOf(levels: Summary['levels']): Severities {
  const firingAt = (rank: number) => (levels[rank]?.firing ?? 0) + (levels[rank]?.singlyFiring ?? 0)
  return Object.fromEntries(SEVERITY_LEVELS.map((level, rank) => [level, firingAt(rank)])) as Severities
}

/** Resolved problems after all others; then by severity, then by number of incidents. */
const problemOf = (tally: Tally, told: number): DigestProblem => ({
  fingerprint: tally.fingerprint,
  title: tally.title,
  service: tally.service,
  severity: SEVERITY_LEVELS[tally.level] ?? tally.severity,
  status: tally.ended === 1 ? 'resolved' : 'firing',
  firing: tally.firing,
  resolved: tally.resolved,
  by_message: singlesOf(tally),
  notified: toldOf(tally, told),
  first_incident_id: tally.first_id,
  first_at: isoTime(tally.first_at),
  last_incident_id: tally.last_id,
  last_at: isoTime(tally.last_at),
})

interface PlaceRow {
  readonly place: number
  readonly id: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly created_at: number
}

/** Opens the list of a digest's places that are still stored. Throws `bad_parameter` for a cursor that is not valid. */
export function openPlaces({ db }: StoreContext) {
  const exists = db.query<object>('SELECT 1 FROM bundles WHERE id = ?')
  const rows = db.query<PlaceRow>(
    `SELECT d.place, i.id, i.title, i.service, i.severity, ${EFFECTIVE_STATUS} AS status, i.created_at
     FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.bundle = ? AND d.place > ? ORDER BY d.place LIMIT ?`,
  )
  const revisions = db.query<Pick<RevisionRow, 'number' | 'through' | 'told_at'>>(
    'SELECT number, through, told_at FROM revisions WHERE bundle = ? AND through > ? ORDER BY number',
  )
  return function places({ number, limit, cursor }: PlaceFilter): DigestPlacePage | undefined {
    const after = numberIn(cursor, 0)
    if (exists.get(number) === undefined) return undefined
    const size = pageSize(limit)
    const { page, last } = pageOf(rows.all(number, after, size + 1), size)
    const told = revisions.all(number, after)
    let at = 0
    return {
      places: page.map((row) => {
        while (at < told.length && (told[at]?.through ?? 0) < row.place) at++
        return placeOf(row, told[at])
      }),
      next_cursor: last === undefined ? null : String(last.place),
    }
  }
}

const placeOf = (
  { id, created_at, ...row }: PlaceRow,
  telling?: Pick<RevisionRow, 'number' | 'told_at'>,
): DigestPlace => ({
  ...row,
  incident_id: id,
  created_at: isoTime(created_at),
  update: telling?.number ?? null,
  notified_at: isoTimeOrNull(telling?.told_at ?? null),
})
