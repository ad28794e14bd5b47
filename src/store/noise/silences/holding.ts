import type { ChannelName } from '../../../domain/delivery.ts'
import { RANK } from '../../../domain/dispatch.ts'
import type { Status } from '../../../domain/incident.ts'
import { DESTINATION_CODE, KIND, STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import { type Lane, queueOf } from '../../engine/counts.ts'
import { change, command, query } from '../../engine/statement.ts'
import type { NotifyStatusTracker } from '../../incidents/notify-status.ts'
import type { Payloads } from '../../journal/payloads.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { Problems } from '../../problems/problems.ts'
import type { HoldRow, Holds } from './holds.ts'
import type { LiveSilence, OpenWindow } from './live.ts'
import { openWaiting, SPAN, type SubjectRow, subjectOf, throughOf, type WaitingRow } from './waiting.ts'
import { openWasTold, type TellingQuestion } from './was-told.ts'

/** An incident that a silence fits. */
export interface SilencedIncident {
  readonly silence: number
  readonly incident: number
  readonly fingerprint: string
  readonly severity: string
  readonly status: Status
  /** Number of the incident before it of its fingerprint. */
  readonly previous: number | null
  /** Held rows of the problem that a resolved incident ends. */
  readonly ended: readonly HoldRow[]
}

interface HoldingDeps {
  readonly holds: Holds
  readonly statusTracker: Pick<NotifyStatusTracker, 'finish'>
  readonly escalations: Escalations
  readonly payloads: Pick<Payloads, 'of'>
  readonly problems: Pick<Problems, 'find'>
}

/**
 * Holds deliveries and timers. Of each problem and destination the newest firing incident is held; older ones and those
 * of a problem that is over are silenced for good. The end of a problem that a destination was told of passes. Inside
 * `write`.
 */
export interface Holding {
  /** Decides about a delivery that is about to be made. `pass`: as without the silence. */
  deliver(lane: Lane<ChannelName>, silenced: SilencedIncident): 'held' | 'silenced' | 'pass'
  /** Makes the timer of an incident the held one of its problem, after `Escalations.hold`. */
  page(silenced: Omit<SilencedIncident, 'previous' | 'ended'>): OncallChange[]
  /**
   * Ends what is held of incidents below `before` of a problem that is over, and returns it; its timers end with their
   * escalations.
   */
  resolved(fingerprint: string, before: number): HoldRow[]
  /** Moves what another silence held to this one. Of two incidents of a problem the newer one stays held. */
  takeOver(row: HoldRow, silence: number): OncallChange[]
  /** Holds some of what waits and fits, in the order of commit; returns up to which incident all of it is held now. */
  waiting(silence: LiveSilence, window: OpenWindow): { readonly heldThrough: number; readonly changes: OncallChange[] }
  /** Holds a delivery that is due, and that a silence that is just opening fits; false: it may go. */
  due(row: DueDelivery): boolean
  /** Holds timers that are due, at most `limit`, before these are claimed. */
  dueTimers(limit: number): OncallChange[]
}

/** A pending delivery. */
interface DueDelivery extends WaitingRow {
  readonly may_duplicate: number
  readonly earlier_attempts: number
  readonly detail: string | null
}

export function openHolding(context: StoreContext, deps: HoldingDeps): Holding {
  const { db, counts } = context
  const { holds, statusTracker, escalations, payloads, problems } = deps
  const setState = change(
    db,
    `UPDATE dispatches SET state = ?, due_at = NULL WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0 AND state = ?`,
  )
  const stored = query<{ previous: number | null; at: number }>(
    db,
    'SELECT previous, committed_at AS at FROM incidents WHERE seq = ?',
  )
  const waiting = openWaiting(context)
  const wasTold = openWasTold(db)
  const mark = command(db, 'UPDATE incidents SET silence = ? WHERE seq = ?')

  function openingOf(silence: number) {
    const { openedAfter = 0, heldThrough = 0 } = counts.silences.active.find(({ id }) => id === silence)?.window ?? {}
    return { openedAfter, heldThrough }
  }

  /** Retention has deleted the incident before one of a problem that fired `times` or more: it was told of. */
  const isForgotten = (newest: number | null, fingerprint: string, times: number) =>
    newest !== null && stored.get(newest) === undefined && (problems.find(fingerprint)?.firing ?? 0) >= times

  /** The delivery is never sent. */
  function silence(incident: number, destination: number): void {
    if (setState.run(STATE.silenced, incident, destination, STATE.held) === 0) return
    counts.held.deliveries--
    statusTracker.finish(incident)
  }

  function hold(destination: number, held: Omit<SilencedIncident, 'ended'>): void {
    const { previous: newest, fingerprint } = held
    const question = { newest, destination, ...openingOf(held.silence) }
    const before = holds.hold({ ...held, destination }, () => wasTold(question) || isForgotten(newest, fingerprint, 2))
    if (before !== undefined) silence(before, destination)
    counts.held.deliveries++
  }

  function resolved(fingerprint: string, before: number): HoldRow[] {
    const ended = holds.ofFingerprint(fingerprint).filter(({ firing, last }) => firing === 1 && last < before)
    for (const row of ended) {
      holds.release(row)
      if (row.destination !== DESTINATION_CODE.oncall) silence(row.last, row.destination)
    }
    return ended
  }

  /** The timer of the incident never runs: a newer one of its problem is held. */
  function supersede(incident: number | undefined): OncallChange[] {
    const row = incident === undefined ? undefined : escalations.rows.find(incident)
    return row === undefined ? [] : escalations.advance([row], { kind: 'superseded' })
  }

  /** Whether the page was told is not asked: the escalation knows. */
  const page: Holding['page'] = (held) =>
    supersede(holds.hold({ ...held, destination: DESTINATION_CODE.oncall }, () => false))

  function takeOver(row: HoldRow, to: number): OncallChange[] {
    const { destination, last } = row
    const own = holds.move(row, to)
    mark.run(to, last)
    if (own === undefined) return []
    const older = Math.min(own, last)
    if (destination === DESTINATION_CODE.oncall) return supersede(older)
    silence(older, destination)
    return []
  }

  /** The end of a problem passes where the destination was told of it. */
  const endPasses = (destination: number, ended: readonly HoldRow[], question: Omit<TellingQuestion, 'destination'>) =>
    ended.some((row) => row.destination === destination && row.told === 1) || wasTold({ ...question, destination })

  /**
   * Takes a delivery out of its queue. Incidents that came after it may have been held already. Returns false for an end
   * that passes.
   */
  function holdWaiting({ destination, rank, ...row }: WaitingRow, { id, window }: LiveSilence): boolean {
    const { seq: incident, fingerprint } = row
    const { previous = null, at } = stored.get(incident) ?? {}
    const held = { ...row, incident, silence: id, destination, previous }
    const known = holds.find(held)
    const isFiring = row.status === 'firing'
    if (!isFiring) {
      const ended = resolved(fingerprint, incident)
      if (
        endPasses(destination, ended, {
          newest: previous,
          openedAfter: window?.openedAfter ?? 0,
          heldThrough: window?.heldThrough ?? 0,
          ...(at !== undefined && { endedAt: at }),
        })
      )
        return false
    }
    const isOlder = known !== undefined && known.last > incident
    const isOver = isFiring && problems.find(fingerprint)?.state === 'resolved'
    const keeps = isFiring && !isOlder && !isOver
    setState.run(keeps ? STATE.held : STATE.silenced, incident, destination, STATE.pending)
    queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', destination).pending--
    mark.run(id, incident)
    if (keeps) hold(destination, held)
    else {
      if (isOlder) holds.older(held)
      else holds.silenced(held)
      statusTracker.finish(incident)
    }
    return true
  }

  const fits = ({ compiled, id }: LiveSilence, row: SubjectRow) =>
    compiled.fits(subjectOf(row, payloads)) || (row.status === 'resolved' && holds.holds(id, row.fingerprint))

  function holdDeliveries(live: LiveSilence, rows: readonly WaitingRow[]): void {
    const touched = new Set<number>()
    const fitting = new Map<number, boolean>()
    for (const row of rows) {
      const isFitting = fitting.get(row.seq) ?? fits(live, row)
      fitting.set(row.seq, isFitting)
      if (isFitting && holdWaiting(row, live)) touched.add(row.destination)
    }
    waiting.refresh(touched)
  }

  function holdTimer(live: LiveSilence, row: SubjectRow): OncallChange[] {
    const timer = live.compiled.fits(subjectOf(row, payloads)) ? escalations.rows.find(row.seq) : undefined
    if (timer === undefined) return []
    const held = { ...row, incident: row.seq, silence: live.id }
    const known = holds.find({ ...held, destination: DESTINATION_CODE.oncall })
    const silenced = escalations.advance([timer], { kind: 'silenced' })
    mark.run(live.id, row.seq)
    const isOlder = known?.firing === 1 && known.last > row.seq
    return [...silenced, ...(isOlder ? supersede(row.seq) : page(held))]
  }

  const openingFor = (incident: number) =>
    counts.silences.opening.filter(
      ({ window }) => window !== undefined && incident > window.heldThrough && incident <= window.openedAfter,
    )

  return {
    deliver(lane, silenced) {
      const { status, silence: id, previous, ended } = silenced
      if (status === 'firing') {
        hold(lane.code, silenced)
        return 'held'
      }
      const question = { newest: previous, ...openingOf(id) }
      const wasHeld = ended.some(({ destination }) => destination === lane.code)
      if (endPasses(lane.code, ended, question)) return 'pass'
      if (!wasHeld && isForgotten(previous, silenced.fingerprint, 1)) return 'pass'
      holds.silenced({ ...silenced, destination: lane.code })
      return 'silenced'
    },
    page,
    resolved,
    takeOver,
    waiting(live, { heldThrough: after, openedAfter: last }) {
      const to = Math.min(last, after + SPAN)
      const [deliveries, timers] = [waiting.deliveries(after, to), waiting.timers(after, to)]
      const through = Math.min(throughOf(deliveries, { after, to }), throughOf(timers, { after, to }))
      const upTo = ({ seq }: SubjectRow) => seq <= through
      holdDeliveries(live, deliveries.filter(upTo))
      return { heldThrough: through, changes: timers.filter(upTo).flatMap((row) => holdTimer(live, row)) }
    },
    due(row) {
      if (row.may_duplicate === 1 || row.earlier_attempts > 0 || row.detail !== null) return false
      return openingFor(row.seq).some((live) => fits(live, row) && holdWaiting(row, live))
    },
    dueTimers(limit) {
      if (limit < 1 || counts.silences.opening.length === 0) return []
      return waiting.dueTimers(limit).flatMap((row) => {
        const live = openingFor(row.seq).find(({ compiled }) => compiled.fits(subjectOf(row, payloads)))
        return live === undefined ? [] : holdTimer(live, row)
      })
    },
  }
}
