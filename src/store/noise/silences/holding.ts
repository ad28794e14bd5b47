import type { ChannelName } from '../../../domain/delivery/delivery.ts'
import { RANK } from '../../../domain/delivery/dispatch.ts'
import type { Status } from '../../../domain/incident.ts'
import { severityRank } from '../../../domain/severity.ts'
import { DESTINATION_CODE, KIND, STATE } from '../../engine/column-codes.ts'
import { type Lane, queueOf } from '../../engine/counts.ts'
import type { Statements } from '../../engine/statement.ts'
import type { StoreParts } from '../../parts.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { Telling } from '../../tellings/rows.ts'
import type { LiveSilence, OpenWindow } from './live.ts'
import { HeldStates, openWriteStates } from './states.ts'
import { openWaiting, SPAN, type SubjectRow, subjectOf, throughOf, type WaitingRow } from './waiting.ts'

/** An incident that a silence fits. */
interface SilencedIncident {
  readonly silence: number
  readonly incident: number
  /** Number of its problem. */
  readonly problem: number
  readonly fingerprint: string
  readonly severity: string
  readonly status: Status
  /** Number of the incident before it of its fingerprint. */
  readonly previous: number | null
}

/** A pending delivery. */
interface DueDelivery extends Omit<WaitingRow, 'previous' | 'problem'> {
  readonly may_duplicate: number
  readonly earlier_attempts: number
  readonly detail: string | null
}

/**
 * Holds deliveries and timers. Of each problem and destination the newest firing incident is held; older ones and those
 * of a problem that is over are silenced for good. The end of a problem that a destination was told of passes. Inside
 * `write`.
 */
export type Holding = ReturnType<typeof openHolding>

export function openHolding(context: StoreParts) {
  const { db, counts, now, tellings, pages, payloads, problems } = context
  const writeStates = openWriteStates(context)
  const stored = db.query<Pick<WaitingRow, 'previous' | 'problem'>>(
    'SELECT previous, problem FROM incidents WHERE seq = ?',
  )
  const waiting = openWaiting(context)
  const wasTold = openWasTold(db)

  function openingOf(silence: number) {
    const { openedAfter = 0, heldThrough = 0 } = counts.silences.active.find(({ id }) => id === silence)?.window ?? {}
    return { openedAfter, heldThrough }
  }

  /** Retention has deleted the incident before one of a problem that fired `times` or more: it was told of. */
  const isForgotten = (newest: number | null, fingerprint: string, times: number) =>
    newest !== null && (problems.find(fingerprint)?.firing ?? 0) >= times && stored.get(newest) === undefined

  /** Number of the incident with which the spell of a problem began; one that was deleted has no other spell. */
  const spellOf = (fingerprint: string) => problems.find(fingerprint)?.opening ?? 1

  /** Returns the telling with one more incident of the window of a silence. */
  function counted(telling: Telling, { silence, severity }: Pick<SilencedIncident, 'silence' | 'severity'>): Telling {
    const [rank, at] = [severityRank(severity), now()]
    const was = { ...telling, silence, lastAt: at }
    if (telling.silence !== silence)
      return { ...was, alerts: 1, level: rank, firstAt: telling.held === null ? at : telling.firstAt }
    return { ...was, alerts: telling.alerts + 1, level: Math.min(telling.level ?? rank, rank) }
  }

  const count = (silenced: SilencedIncident, destination: number) =>
    tellings.put(counted(tellings.of(silenced.problem, destination), silenced))

  /** Runs `work` and writes the states that it sets. */
  function writing<T>(work: (states: HeldStates) => T): T {
    const states = new HeldStates()
    const result = work(states)
    writeStates(states)
    return result
  }

  function hold(destination: number, held: SilencedIncident, states: HeldStates): void {
    const { problem, incident, previous: newest, fingerprint } = held
    const was = tellings.of(problem, destination)
    const spell = spellOf(fingerprint)
    const isTold =
      was.told >= spell ||
      (was.held === null &&
        newest !== null &&
        (wasTold({ newest, destination, ...openingOf(held.silence) }) || isForgotten(newest, fingerprint, 2)))
    if (was.held !== null) states.set(was.held, destination, 'silenced')
    tellings.put({ ...counted(was, held), held: incident, told: isTold ? Math.max(was.told, spell) : was.told })
  }

  function resolved(problem: number, before: number, states: HeldStates): readonly Telling[] {
    const ended = tellings.all(problem).filter(({ held }) => held !== null && held < before)
    for (const telling of ended) {
      const { held, destination } = telling
      tellings.put({ ...telling, held: null })
      if (held !== null && destination !== DESTINATION_CODE.oncall) states.set(held, destination, 'silenced')
    }
    return ended
  }

  function page(silenced: SilencedIncident): void {
    const was = tellings.of(silenced.problem, DESTINATION_CODE.oncall)
    tellings.put({ ...counted(was, silenced), held: Math.max(was.held ?? 0, silenced.incident) })
  }

  /** The end of a problem passes where the destination was told of it. */
  const endPasses = (ended: readonly Telling[], question: TellingQuestion, fingerprint: string) =>
    ended.some(({ destination, told }) => destination === question.destination && told >= spellOf(fingerprint)) ||
    wasTold(question)

  /** Takes a delivery out of its queue. Incidents that came after it may have been held already. False: an end that passes. */
  function holdWaiting(row: WaitingRow, { id, window }: LiveSilence, states: HeldStates): boolean {
    const { seq: incident, fingerprint, destination, previous, committed_at: endedAt } = row
    const held = { ...row, incident, silence: id, problem: numberOf(row) }
    const isFiring = row.status === 'firing'
    if (!isFiring) {
      const { openedAfter = 0, heldThrough = 0 } = window ?? {}
      const ended = resolved(held.problem, incident, states)
      if (endPasses(ended, { newest: previous, destination, openedAfter, heldThrough, endedAt }, fingerprint))
        return false
    }
    const isOlder = (tellings.of(held.problem, destination).held ?? 0) > incident
    const problem = problems.find(fingerprint)
    const isOver = problem !== undefined && (problem.state === 'resolved' || problem.opening > incident)
    const keeps = isFiring && !isOlder && !isOver
    queueOf(counts, row.rank === RANK.urgent ? 'urgent' : 'delivery', destination).pending--
    states.mark(incident, id)
    if (keeps) hold(destination, held, states)
    else count(held, destination)
    states.set(incident, destination, keeps ? 'held' : 'silenced')
    return true
  }

  const numberOf = ({ fingerprint, problem }: Pick<WaitingRow, 'fingerprint' | 'problem'>) =>
    problems.numberOf(fingerprint) ?? problem

  const fits = ({ compiled, id }: LiveSilence, row: WaitingRow) =>
    compiled.fits(subjectOf(row, payloads)) ||
    (row.status === 'resolved' && tellings.all(numberOf(row)).some(({ silence }) => silence === id))

  /** Returns those that were held, or silenced. */
  function holdDeliveries(live: LiveSilence, rows: readonly WaitingRow[]): WaitingRow[] {
    const fitting = new Map<number, boolean>()
    return writing((states) =>
      rows.filter((row) => {
        const isFitting = fitting.get(row.seq) ?? fits(live, row)
        fitting.set(row.seq, isFitting)
        return isFitting && holdWaiting(row, live, states)
      }),
    )
  }

  function holdTimer(live: LiveSilence, row: SubjectRow, states: HeldStates): OncallChange[] {
    if (!live.compiled.fits(subjectOf(row, payloads))) return []
    const { previous = null, problem = 0 } = stored.get(row.seq) ?? {}
    states.mark(row.seq, live.id)
    page({ ...row, incident: row.seq, silence: live.id, previous, problem: numberOf({ ...row, problem }) })
    return pages.hold(row.seq)
  }

  const holdTimers = (live: LiveSilence, rows: readonly SubjectRow[]): OncallChange[] =>
    writing((states) => rows.flatMap((row) => holdTimer(live, row, states)))

  const isOpeningFor = (incident: number, { window }: LiveSilence) =>
    window !== undefined && incident > window.heldThrough && incident <= window.openedAfter

  return {
    /** Decides about a delivery that is about to be made. `wasFiring`: its problem fired before it. `pass`: as without the silence. */
    deliver(lane: Lane<ChannelName>, silenced: SilencedIncident, wasFiring: boolean): 'held' | 'silenced' | 'pass' {
      const { status, silence, previous: newest, problem, fingerprint } = silenced
      if (status === 'firing') {
        writing((states) => hold(lane.code, silenced, states))
        return 'held'
      }
      const telling = tellings.of(problem, lane.code)
      if (wasFiring && telling.told >= spellOf(fingerprint)) return 'pass'
      // What it ended was held, and the destination was asked about then.
      const wasHeld = telling.silence !== null && wasFiring
      if (wasTold({ newest, destination: lane.code, ...openingOf(silence) })) return 'pass'
      if (!wasHeld && isForgotten(newest, fingerprint, 1)) return 'pass'
      count(silenced, lane.code)
      return 'silenced'
    },
    /** Records that the timer of an incident is held. */
    page,
    /** Ends what is held of incidents below `before` of a problem that is over; its timers end with its pages. */
    resolved: (problem: number, before: number): void => void writing((states) => resolved(problem, before, states)),
    /**
     * Holds some of what waits and fits, in the order of commit. Returns the incident up to which all that waits is held, and the
     * destinations that have fewer deliveries to send.
     */
    waiting(live: LiveSilence, { heldThrough: after, openedAfter: last }: OpenWindow) {
      const to = Math.min(last, after + SPAN)
      const [deliveries, timers] = [waiting.deliveries(after, to), waiting.timers(after, to)]
      const through = Math.min(throughOf(deliveries, after, to), throughOf(timers, after, to))
      const upTo = ({ seq }: SubjectRow) => seq <= through
      problems.prefetch([...deliveries, ...timers].map(({ fingerprint }) => fingerprint))
      tellings.prefetch(deliveries.map(numberOf))
      const taken = holdDeliveries(live, deliveries.filter(upTo))
      return {
        heldThrough: through,
        changes: holdTimers(live, timers.filter(upTo)),
        destinations: taken.map(({ destination }) => destination),
      }
    },
    /** Reads when the next deliveries to destinations are due, after `waiting`. */
    refresh: waiting.refresh,
    /** Holds deliveries that are due, and that a silence that is just opening fits; returns those that may go. */
    due<Row extends DueDelivery>(rows: readonly Row[]): Row[] {
      const kept = new Map(rows.map((row) => [`${row.seq} ${row.destination}`, row]))
      for (const live of counts.silences.opening) {
        const fresh = [...kept.values()].filter((row) => isOpeningFor(row.seq, live) && isUntried(row))
        const waitingRows = fresh.map((row) => ({ ...row, ...(stored.get(row.seq) ?? UNKNOWN) }))
        for (const { seq, destination } of holdDeliveries(live, waitingRows)) kept.delete(`${seq} ${destination}`)
      }
      return [...kept.values()]
    },
    /** Holds timers that are due, at most `limit`, before these are claimed. */
    dueTimers(limit: number): OncallChange[] {
      if (limit < 1 || counts.silences.opening.length === 0) return []
      return waiting.dueTimers(limit).flatMap((row) => {
        const live = counts.silences.opening.find(
          (each) => isOpeningFor(row.seq, each) && each.compiled.fits(subjectOf(row, payloads)),
        )
        return live === undefined ? [] : holdTimers(live, [row])
      })
    },
  }
}

const UNKNOWN = { previous: null, problem: 0 }

/** It cannot have arrived. */
const isUntried = ({ may_duplicate, earlier_attempts, detail }: DueDelivery) =>
  may_duplicate === 0 && earlier_attempts === 0 && detail === null

/** Incidents of a problem that are looked at, the newest first. */
const LOOK_BACK = 1_000

/** Where the look begins, and what counts. */
interface TellingQuestion {
  /** Number of the newest incident of the problem that may have been told; null: there is none. */
  readonly newest: number | null
  readonly destination: number
  /** Number of the last incident whose pending deliveries may still be held: they do not count as told. */
  readonly openedAfter: number
  /** Number of the last incident that the opening has passed: what is pending up to it is sent, and counts as told. */
  readonly heldThrough: number
  /**
   * Commit of the end that is asked for, epoch milliseconds: incidents that were resolved before it are of an earlier spell.
   * Absent: all resolved ones are.
   */
  readonly endedAt?: number
}

/**
 * Opens the question whether a destination was told of a problem, or will be, since its last end. Follows the numbers of
 * the incidents before each other, at most 1,000 of them.
 */
function openWasTold(db: Statements): (question: TellingQuestion) => boolean {
  const fires = "i.status <> 'resolved' AND (i.resolved_at IS NULL OR i.resolved_at >= ?2)"
  const told = db.query<object>(`WITH RECURSIVE spell (seq, previous, steps) AS (
       SELECT i.seq, i.previous, 1 FROM incidents i WHERE i.seq = ?1 AND ${fires}
       UNION ALL
       SELECT i.seq, i.previous, s.steps + 1 FROM spell s CROSS JOIN incidents i
         WHERE i.seq = s.previous AND ${fires} AND s.steps < ${LOOK_BACK})
     SELECT 1 FROM spell s CROSS JOIN dispatches d
     WHERE d.incident = s.seq AND d.kind = ${KIND.delivery} AND d.destination = ?3 AND d.number = 0
       AND (d.state IN (${STATE.sending}, ${STATE.sent}, ${STATE.folded}) OR (d.state = ${STATE.pending} AND (d.may_duplicate = 1 OR d.incident > ?4 OR d.incident <= ?5))) LIMIT 1`)
  return ({ newest, destination, openedAfter, heldThrough, endedAt = Number.MAX_SAFE_INTEGER }) =>
    newest !== null && told.get(newest, endedAt, destination, openedAfter, heldThrough) !== undefined
}
