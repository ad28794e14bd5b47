import type { ChannelName } from '../../../domain/delivery.ts'
import { RANK } from '../../../domain/dispatch.ts'
import type { Status } from '../../../domain/incident.ts'
import type { Subject } from '../../../policy/fields.ts'
import { DESTINATION_CODE, KIND, PHASE, STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import { type Lane, queueOf } from '../../engine/counts.ts'
import { change, command, query } from '../../engine/statement.ts'
import type { NotifyStatusTracker } from '../../incidents/notify-status.ts'
import type { PayloadSlice, Payloads } from '../../journal/payloads.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import { openQueues } from '../../outbox/queues.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { HoldRow, Holds, ToldProblems } from './holds.ts'
import type { LiveSilence } from './live.ts'

/** Columns of `incidents i` that a silence compares. */
export const SUBJECT_COLUMNS =
  'i.seq, i.sender, i.source, i.title, i.service, i.severity, i.status, i.fingerprint, i.content_start, i.content_bytes'

export type SubjectRow = Omit<Subject, 'content'> & PayloadSlice

/** Reads the payload when a condition asks for it. */
export function subjectOf(row: SubjectRow, payloads: Pick<Payloads, 'of'>): Subject {
  const { sender, source, title, service, severity, status, fingerprint } = row
  return {
    ...{ sender, source, title, service, severity, status, fingerprint },
    get content() {
      return payloads.of(row)
    },
  }
}

/** An incident that a silence fits. */
export interface SilencedIncident {
  readonly silence: number
  readonly incident: number
  readonly fingerprint: string
  readonly severity: string
  readonly status: Status
}

interface HoldingDeps {
  readonly holds: Holds
  readonly told: ToldProblems
  readonly statusTracker: Pick<NotifyStatusTracker, 'finish'>
  readonly escalations: Escalations
  readonly payloads: Pick<Payloads, 'of'>
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
  page(silenced: SilencedIncident): OncallChange[]
  /** Ends the holds of a problem that is over; its timers end with their escalations. */
  resolved(fingerprint: string): void
  /** Moves what another silence held to this one. Of two incidents of a problem the newer one stays held. */
  takeOver(row: HoldRow, silence: number): OncallChange[]
  /** Holds what waits already and fits. */
  waiting(silence: LiveSilence): OncallChange[]
}

interface WaitingRow extends SubjectRow {
  readonly destination: number
  readonly rank: number
}

export function openHolding(context: StoreContext, deps: HoldingDeps): Holding {
  const { db, counts, lanes } = context
  const { holds, told, statusTracker, escalations } = deps
  const setState = change(
    db,
    `UPDATE dispatches SET state = ?, due_at = NULL WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0 AND state = ?`,
  )
  const waiting = openWaiting(context)
  const mark = command(db, 'UPDATE incidents SET silence = ? WHERE seq = ?')

  /** The delivery is never sent. */
  function silence(incident: number, destination: number): void {
    if (setState.run(STATE.silenced, incident, destination, STATE.held) === 0) return
    counts.held.deliveries--
    statusTracker.finish(incident)
  }

  function hold(destination: number, held: SilencedIncident): void {
    const before = holds.hold({ ...held, destination })
    if (before !== undefined) silence(before, destination)
    counts.held.deliveries++
  }

  function resolved(fingerprint: string): void {
    for (const row of holds.ofFingerprint(fingerprint)) {
      if (row.firing === 0) continue
      holds.release(row)
      if (row.destination !== DESTINATION_CODE.oncall) silence(row.last, row.destination)
    }
  }

  /** The timer of the incident never runs: a newer one of its problem is held. */
  function supersede(incident: number | undefined): OncallChange[] {
    const row = incident === undefined ? undefined : escalations.rows.find(incident)
    return row === undefined ? [] : escalations.advance([row], { kind: 'superseded' })
  }

  const page = (held: SilencedIncident) => supersede(holds.hold({ ...held, destination: DESTINATION_CODE.oncall }))

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

  /** Takes a delivery out of its queue. */
  function holdWaiting({ destination, rank, ...row }: WaitingRow, live: LiveSilence): void {
    const held = { ...row, incident: row.seq, silence: live.id }
    if (row.status === 'resolved' && told.isTold(row.fingerprint, destination)) return
    const isFiring = row.status === 'firing'
    setState.run(isFiring ? STATE.held : STATE.silenced, row.seq, destination, STATE.pending)
    queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', destination).pending--
    mark.run(live.id, row.seq)
    if (isFiring) return hold(destination, held)
    resolved(row.fingerprint)
    holds.silenced({ ...held, destination })
    statusTracker.finish(row.seq)
  }

  function waitingDeliveries(live: LiveSilence): void {
    const touched = new Set<number>()
    const fitting = new Map<number, boolean>()
    for (const row of waiting.deliveries()) {
      const { compiled, id } = live
      let fits = fitting.get(row.seq)
      fits ??=
        compiled.fits(subjectOf(row, deps.payloads)) || (row.status === 'resolved' && holds.holds(id, row.fingerprint))
      fitting.set(row.seq, fits)
      if (!fits) continue
      holdWaiting(row, live)
      touched.add(row.destination)
    }
    waiting.refresh(touched)
  }

  function waitingTimers(live: LiveSilence): OncallChange[] {
    const changes: OncallChange[] = []
    for (const row of waiting.timers()) {
      const timer = live.compiled.fits(subjectOf(row, deps.payloads)) ? escalations.rows.find(row.seq) : undefined
      if (timer === undefined) continue
      changes.push(...escalations.advance([timer], { kind: 'silenced' }))
      mark.run(live.id, row.seq)
      changes.push(...page({ ...row, incident: row.seq, silence: live.id }))
    }
    return changes
  }

  return {
    deliver(lane, silenced) {
      const { status, fingerprint } = silenced
      if (status === 'firing') {
        hold(lane.code, silenced)
        return 'held'
      }
      if (told.isTold(fingerprint, lane.code)) return 'pass'
      holds.silenced({ ...silenced, destination: lane.code })
      return 'silenced'
    },
    page,
    resolved,
    takeOver,
    waiting(live) {
      waitingDeliveries(live)
      return waitingTimers(live)
    },
  }

  /** Returns deliveries that may not have arrived, and timers that run, in order of commit. */
  function openWaiting(of: StoreContext) {
    const { refreshNextDue } = openQueues(of)
    const deliveries = query<WaitingRow>(
      db,
      `SELECT ${SUBJECT_COLUMNS}, d.destination, d.rank FROM dispatches d CROSS JOIN incidents i ON i.seq = d.incident
       WHERE d.kind = ${KIND.delivery} AND d.state = ${STATE.pending} AND d.may_duplicate = 0 AND d.earlier_attempts = 0
         AND d.detail IS NULL AND d.bundle IS NULL ORDER BY d.incident, d.destination`,
    )
    const timers = query<SubjectRow>(
      db,
      `SELECT ${SUBJECT_COLUMNS} FROM dispatches d CROSS JOIN oncall o ON o.incident = d.incident CROSS JOIN incidents i ON i.seq = d.incident
       WHERE d.kind = ${KIND.page} AND d.state = ${STATE.pending} AND o.phase = ${PHASE.armed} ORDER BY d.incident`,
    )
    const enabled = new Set(lanes.enabled())
    return {
      deliveries: () => deliveries.all().filter(({ destination }) => enabled.has(destination)),
      timers: () => timers.all(),
      refresh(codes: ReadonlySet<number>) {
        for (const code of codes) for (const kind of ['delivery', 'urgent'] as const) refreshNextDue(kind, code)
      },
    }
  }
}
