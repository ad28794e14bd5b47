import type { Status } from '../../domain/incident.ts'
import {
  DIGEST_PROBLEMS,
  type DigestCount,
  type DigestNotice,
  type DigestProblem,
  type OtherProblems,
} from '../../domain/notice.ts'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import { type Kind, LOUDEST_FIRST } from './kinds.ts'

/** A revision of which the numbers are read. */
interface RevisionFacts extends Pick<DigestNotice, 'revision' | 'phase' | 'mayRepeat'> {
  readonly bundle: number
  /** Number of its destination. */
  readonly code: number
  /** Places that no earlier revision covers. */
  readonly added: number
}

interface LevelRow {
  readonly level: number
  readonly firing: number
  readonly singlyFiring: number
  readonly resolved: number
  readonly singlyResolved: number
  readonly problems: number
  readonly stillFiring: number
  readonly firstAt: number
  readonly lastAt: number
}

/** Singles of the storm that are not sent yet. */
interface WaitingRow {
  readonly fingerprint: string
  readonly level: number
  readonly status: Status
  readonly singles: number
}

interface ServiceRow {
  readonly service: string
  readonly problems: number
  readonly alerts: number
}

const ALERTS = 'firing + resolved + singly_firing + singly_resolved'
const IN_THE_STORM = `bundle = ? AND ${ALERTS} > 0`
const NAMED_SERVICES = 3

/** Opens the read of a digest's numbers from its problems and dispatches, as they are on disk. */
export function openDigestNotice({ db, inFlight }: StoreContext) {
  const levels = query<LevelRow>(
    db,
    `SELECT level, sum(firing) AS firing, sum(singly_firing) AS "singlyFiring", sum(resolved) AS resolved,
       sum(singly_resolved) AS "singlyResolved", count(*) AS problems, count(*) FILTER (WHERE last_status = 'firing') AS "stillFiring",
       min(first_at) AS "firstAt", max(last_at) AS "lastAt"
     FROM bundle_kinds WHERE ${IN_THE_STORM} GROUP BY level ORDER BY level`,
  )
  const loudest = query<Kind>(
    db,
    `SELECT * FROM bundle_kinds WHERE ${IN_THE_STORM}
     ORDER BY ${LOUDEST_FIRST} LIMIT ${DIGEST_PROBLEMS}`,
  )
  const services = query<ServiceRow>(
    db,
    `SELECT service, count(*) AS problems, sum(${ALERTS}) AS alerts FROM bundle_kinds WHERE ${IN_THE_STORM} GROUP BY service`,
  )
  /** A delivery that was sent again was told before, or reported as dead. */
  const waitingWhere = (
    state: number,
    condition: string,
  ) => `SELECT k.fingerprint, k.level, i.status, count(*) AS singles
     FROM bundles b CROSS JOIN dispatches d CROSS JOIN incidents i CROSS JOIN bundle_kinds k
     WHERE b.id = ? AND d.kind = ${KIND.delivery} AND d.destination = b.destination AND d.number = 0 AND d.state = ${state} ${condition}
       AND d.bundle IS NULL AND d.earlier_attempts = 0 AND i.seq = d.incident AND coalesce(d.placed_at, i.committed_at) >= b.since
       AND k.bundle = b.id AND k.fingerprint = i.fingerprint
     GROUP BY k.fingerprint, k.level, i.status`
  const pending = query<WaitingRow>(db, waitingWhere(STATE.pending, ''))
  const sending = query<WaitingRow>(db, waitingWhere(STATE.sending, 'AND d.incident = ?'))

  return function noticeOf({ bundle, code, revision, phase, mayRepeat, added }: RevisionFacts): DigestNotice {
    const rows = levels.all(bundle)
    const shown = loudest.all(bundle)
    const waiting = [
      ...pending.all(bundle),
      ...inFlight.incidents(code).flatMap((incident) => sending.all(bundle, incident)),
    ]
    return {
      kind: 'digest',
      digest: bundle,
      revision,
      phase,
      mayRepeat,
      firstAt: Math.min(...rows.map(({ firstAt }) => firstAt)),
      lastAt: Math.max(...rows.map(({ lastAt }) => lastAt)),
      counts: countsOf(rows, waiting),
      added,
      problems: sum(rows, 'problems'),
      firing: sum(rows, 'stillFiring'),
      shown: shown.map((kind) => problemOf(kind, waiting)),
      others: othersOf(services.all(bundle), shown),
    }
  }
}

function countsOf(rows: readonly LevelRow[], waiting: readonly WaitingRow[]): DigestCount[] {
  const waitingResolved = waiting.filter(({ status }) => status === 'resolved')
  const resolved = {
    word: 'resolved' as const,
    alerts: sum(rows, 'resolved') + sum(rows, 'singlyResolved'),
    ...toldOf(sum(rows, 'singlyResolved'), waitingResolved),
  }
  const firing = rows.map(({ level, firing, singlyFiring }) => ({
    word: levelName(level),
    alerts: firing + singlyFiring,
    ...toldOf(
      singlyFiring,
      waiting.filter((row) => row.level === level && row.status === 'firing'),
    ),
  }))
  return [...firing, resolved].filter(({ alerts }) => alerts > 0)
}

function toldOf(singles: number, waitingRows: readonly WaitingRow[]): Pick<DigestCount, 'singly' | 'waiting'> {
  const waiting = Math.min(singles, sum(waitingRows, 'singles'))
  return { singly: singles - waiting, waiting }
}

function problemOf(kind: Kind, waiting: readonly WaitingRow[]): DigestProblem {
  const singles = kind.singly_firing + kind.singly_resolved
  const places = kind.firing + kind.resolved
  return {
    title: kind.title,
    service: kind.service,
    level: levelName(kind.level),
    status: kind.last_status,
    incidentId: kind.last_id,
    alerts: places + singles,
    ...toldOf(
      singles,
      waiting.filter(({ fingerprint }) => fingerprint === kind.fingerprint),
    ),
    added: places - kind.told_count,
    isNew: kind.told_count === 0 && singles === 0,
  }
}

function othersOf(all: readonly ServiceRow[], shown: readonly Kind[]): OtherProblems {
  const left = all
    .map(({ service, problems, alerts }) => {
      const listed = shown.filter((kind) => kind.service === service)
      const told = listed.reduce((count, kind) => count + alertsOf(kind), 0)
      return { service, problems: problems - listed.length, alerts: alerts - told }
    })
    .filter(({ problems }) => problems > 0)
    .sort((a, b) => b.alerts - a.alerts)
  const top = left.slice(0, NAMED_SERVICES).map(({ service, alerts }) => ({ service, alerts }))
  return { problems: left.reduce((count, { problems }) => count + problems, 0), services: left.length, top }
}

const alertsOf = (kind: Kind) => kind.firing + kind.resolved + kind.singly_firing + kind.singly_resolved

const levelName = (level: number) => SEVERITY_LEVELS[level] ?? 'warning'

const sum = <Column extends string>(rows: readonly { readonly [name in Column]: number }[], column: Column) =>
  rows.reduce((total, row) => total + row[column], 0)
