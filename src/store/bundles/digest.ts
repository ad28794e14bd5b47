import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { type MessageDispatch, RANK } from '../../domain/delivery/dispatch.ts'
import {
  DIGEST_PROBLEMS,
  type DigestCount,
  type DigestNotice,
  type DigestProblem,
  digestHeadline,
  type OtherProblems,
} from '../../domain/delivery/notice.ts'
import type { Status } from '../../domain/incident.ts'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import { ownMessage } from '../outbox/own-message.ts'
import type { HandOut } from './revise.ts'
import type { BundleRow } from './rows.ts'
import { emptySummary, type Summary, untoldIn } from './sums/summary.ts'
import type { Tallies } from './sums/tallies.ts'
import { isUntold, placesOf, singlesOf, type Tally, toldOf } from './sums/tally.ts'

/** Singles of the storm that are not sent yet. */
interface WaitingRow {
  readonly problem: number
  readonly level: number
  readonly status: Status
  readonly singles: number
}

const NAMED_SERVICES = 3

/**
 * Opens the message of a storm's digest, from the summary, the problems that it lists, and the singles that wait. Inside
 * `write`.
 */
export function openDigest({ db, inFlight, now }: StoreContext, tallies: Pick<Tallies, 'loudest' | 'some'>) {
  /** A delivery that was sent again was told before, or reported as dead. */
  const waitingWhere = (state: number, condition: string) => `SELECT k.problem, k.level, i.status, count(*) AS singles
     FROM bundles b CROSS JOIN dispatches d CROSS JOIN incidents i CROSS JOIN tallies k
     WHERE b.id = ? AND d.kind = ${KIND.delivery} AND d.destination = b.destination AND d.number = 0 AND d.state = ${state} ${condition}
       AND d.bundle IS NULL AND d.earlier_attempts = 0 AND i.seq = d.incident AND coalesce(d.placed_at, i.committed_at) >= b.since
       AND k.bundle = b.id AND k.problem = i.problem
     GROUP BY k.problem, k.level, i.status`
  const pending = db.query<WaitingRow>(waitingWhere(STATE.pending, ''))
  const sending = db.query<WaitingRow>(waitingWhere(STATE.sending, 'AND d.incident = ?'))

  /** Returns the problems to list: the loudest, among these those that no message told of, then those with the most incidents. */
  function shownOf({ id, bundle: { told } }: BundleRow, summary: Summary): Tally[] {
    const untold = untoldIn(summary, told).map(([problem]) => problem)
    const found = [...tallies.loudest(id, DIGEST_PROBLEMS), ...tallies.some(id, untold)]
    const isToldOf = (tally: Tally) => Number(!isUntold(tally, told))
    return [...new Map(found.map((tally) => [tally.problem, tally])).values()]
      .sort(
        (a, b) =>
          a.ended - b.ended ||
          a.level - b.level ||
          isToldOf(a) - isToldOf(b) ||
          b.counted - a.counted ||
          a.first_incident - b.first_incident,
      )
      .slice(0, DIGEST_PROBLEMS)
  }

  function noticeOf(row: BundleRow, { revision, last, mayRepeat, through }: HandOut): DigestNotice {
    const { id, destination, bundle } = row
    const summary = row.summary ?? emptySummary()
    const shown = shownOf(row, summary)
    const waiting = [
      ...pending.all(id),
      ...inFlight.incidents(destination).flatMap((incident) => sending.all(id, incident)),
    ]
    return {
      kind: 'digest',
      ...{ digest: id, revision, phase: last ? 'over' : 'open', mayRepeat },
      firstAt: summary.firstAt ?? Infinity,
      lastAt: summary.lastAt ?? -Infinity,
      ...{ counts: countsOf(summary, waiting), added: through - bundle.told },
      ...{ problems: summary.problems, firing: summary.stillFiring },
      shown: shown.map((tally) => problemOf(tally, bundle.told, waiting)),
      others: othersOf(summary, shown),
    }
  }

  return (lane: Lane<ChannelName>, row: BundleRow, handOut: HandOut): MessageDispatch => {
    const notice = noticeOf(row, handOut)
    return {
      ...ownMessage(now()),
      ...{ kind: 'digest', destination: lane.destination, code: lane.code, incident: 0, number: row.id },
      ...{ attempt: 1, mayDuplicate: false },
      ...{ id: `digest-${notice.digest}`, rank: RANK.digest, storm: true, notice, title: digestHeadline(notice) },
      severity: notice.shown[0]?.level ?? 'warning',
      status: notice.firing > 0 ? 'firing' : 'resolved',
      ...(lane.target === undefined ? undefined : { target: lane.target }),
    }
  }
}

function countsOf({ levels }: Summary, waiting: readonly WaitingRow[]): DigestCount[] {
  const waitingResolved = waiting.filter(({ status }) => status === 'resolved')
  const resolved = {
    word: 'resolved' as const,
    alerts: sum(levels, 'resolved') + sum(levels, 'singlyResolved'),
    ...singlesIn(sum(levels, 'singlyResolved'), waitingResolved),
  }
  const firing = levels.map(({ firing, singlyFiring }, level) => ({
    word: levelName(level),
    alerts: firing + singlyFiring,
    ...singlesIn(
      singlyFiring,
      waiting.filter((row) => row.level === level && row.status === 'firing'),
    ),
  }))
  return [...firing, resolved].filter(({ alerts }) => alerts > 0)
}

function singlesIn(singles: number, waitingRows: readonly WaitingRow[]): Pick<DigestCount, 'singly' | 'waiting'> {
  const waiting = Math.min(singles, sum(waitingRows, 'singles'))
  return { singly: singles - waiting, waiting }
}

/** `told`: places of the digest that the last told revision covers. */
function problemOf(tally: Tally, told: number, waiting: readonly WaitingRow[]): DigestProblem {
  return {
    title: tally.title,
    service: tally.service,
    level: levelName(tally.level),
    status: tally.ended === 1 ? 'resolved' : 'firing',
    incidentId: tally.last_id,
    alerts: tally.counted,
    ...singlesIn(
      singlesOf(tally),
      waiting.filter(({ problem }) => problem === tally.problem),
    ),
    added: placesOf(tally) - toldOf(tally, told),
    isNew: isUntold(tally, told),
  }
}

function othersOf({ services, others }: Summary, shown: readonly Tally[]): OtherProblems {
  const rest = { service: undefined, ...others }
  const isKnown = ({ service }: Tally) => services.some((each) => each.service === service)
  const left = [...services, rest]
    .map(({ service, problems, alerts }) => {
      const listed = shown.filter((tally) => (isKnown(tally) ? tally.service : undefined) === service)
      return { service, problems: problems - listed.length, alerts: alerts - sum(listed, 'counted') }
    })
    .filter(({ problems }) => problems > 0)
    .sort((a, b) => b.alerts - a.alerts)
  const named = left.flatMap(({ service, alerts }) => (service === undefined ? [] : [{ service, alerts }]))
  return { problems: sum(left, 'problems'), services: left.length, top: named.slice(0, NAMED_SERVICES) }
}

const levelName = (level: number) => SEVERITY_LEVELS[level] ?? 'warning'

const sum = <Column extends string>(rows: readonly { readonly [name in Column]: number }[], column: Column) =>
  rows.reduce((total, row) => total + row[column], 0)
