import type { ChannelName } from '../../../domain/delivery.ts'
import { RANK } from '../../../domain/dispatch.ts'
import type { SilenceNotice } from '../../../domain/notice.ts'
import { usualPriority } from '../../../policy/outcome.ts'
import { DESTINATION_CODE, KIND, STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import { type Lane, queueOf } from '../../engine/counts.ts'
import { change, query } from '../../engine/statement.ts'
import type { Payloads } from '../../journal/payloads.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import { addPending } from '../../outbox/queues.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { Decisions } from '../decisions.ts'
import type { Outages } from '../outages.ts'
import { NORMAL_SINGLE, type Placement, type Storms } from '../storms.ts'
import type { Accounts } from './accounts.ts'
import { type Holding, SUBJECT_COLUMNS, type SubjectRow, subjectOf } from './holding.ts'
import type { HoldRow, Holds, ToldProblems } from './holds.ts'
import type { LiveSilence, OpenWindow } from './live.ts'

interface HeldRow extends SubjectRow, HoldRow {
  readonly id: string
  readonly createdAt: number
  readonly decision: number | null
}

interface ReleaseDeps {
  readonly holds: Holds
  readonly told: ToldProblems
  readonly holding: Pick<Holding, 'takeOver'>
  readonly accounts: Pick<Accounts, 'raise'>
  readonly storms: Pick<Storms, 'isRuled' | 'place'>
  readonly outages: Pick<Outages, 'late'>
  readonly decisions: Pick<Decisions, 'priorityOf'>
  readonly escalations: Pick<Escalations, 'release'>
  readonly payloads: Pick<Payloads, 'of'>
}

/**
 * Tells what a silence held: its deliveries become pending or places of a digest, its timers are armed with their full
 * wait, and every destination that would have been told gets an account. What another active silence fits stays held by
 * that one. Inside `write`.
 */
export interface Release {
  /** `others`: the other silences that are active. */
  all(silence: LiveSilence, others: readonly LiveSilence[]): OncallChange[]
  /** Raises the reminder of the end. */
  remind(silence: LiveSilence, window: OpenWindow): void
}

export function openRelease(context: StoreContext, deps: ReleaseDeps): Release {
  const { db, counts, lanes, now } = context
  const { holds, told, holding, accounts, outages, escalations, payloads } = deps
  const held = query<HeldRow>(
    db,
    `SELECT ${SUBJECT_COLUMNS}, h.silence, h.destination, h.last, h.firing, i.id, i.created_at AS createdAt, i.decision
     FROM holds h CROSS JOIN incidents i ON i.seq = h.last WHERE h.silence = ? AND h.firing = 1 ORDER BY h.last, h.destination`,
  )
  const release = change(
    db,
    `UPDATE dispatches SET state = ?, due_at = ?, rank = ?, bundle = ?, place = ?
     WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0 AND state = ${STATE.held}`,
  )
  const place = openPlace(deps)

  function tell(row: HeldRow): void {
    const { destination: code, last: incident } = row
    const placement = place(lanes.ofChannel(code), row, now())
    const folded = placement.kind === 'fold'
    const rank = folded ? RANK.normal : placement.rank
    const [bundle, at] = folded ? [placement.bundle, placement.place] : [null, null]
    const columns = [folded ? STATE.folded : STATE.pending, folded ? null : now(), rank, bundle, at] as const
    if (release.run(...columns, incident, code) === 0) return
    counts.held.deliveries--
    outages.late(lanes.ofChannel(code), incident)
    if (!folded) addPending(queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', code), now())
  }

  /** Returns the silence that goes on holding the incident. */
  const otherOf = (row: HeldRow, others: readonly LiveSilence[]) =>
    others.find(({ compiled }) => compiled.fits(subjectOf(row, payloads)))

  function notify(silence: LiveSilence, phase: SilenceNotice['phase'], heldOn: ReadonlyMap<number, number>): void {
    const { name, owner } = silence.settings
    const enabled = new Set(lanes.enabled())
    for (const { destination, alerts, problems, firing } of holds.byDestination(silence.id)) {
      if (!enabled.has(destination) || (phase === 'ending' && firing === 0)) continue
      const on = heldOn.get(destination) ?? 0
      accounts.raise(lanes.ofChannel(destination), {
        kind: 'silence',
        silence: silence.id,
        name,
        owner,
        phase,
        endsAt: silence.window?.to ?? now(),
        alerts,
        problems,
        resolved: problems - firing,
        firing: firing - on,
        heldOn: on,
      })
    }
  }

  return {
    all(silence, others) {
      const heldOn = new Map<number, number>()
      const changes: OncallChange[] = []
      for (const row of held.all(silence.id)) {
        const other = otherOf(row, others)
        if (other !== undefined) {
          changes.push(...holding.takeOver(row, other.id))
          heldOn.set(row.destination, (heldOn.get(row.destination) ?? 0) + 1)
        } else if (row.destination === DESTINATION_CODE.oncall) changes.push(...escalations.release(row.last))
        else {
          tell(row)
          if (others.length > 0) told.add(row.fingerprint, row.destination)
        }
      }
      notify(silence, 'over', heldOn)
      return changes
    },
    remind: (silence) => notify(silence, 'ending', new Map()),
  }
}

/** Opens the storm rule for a delivery that was held, which counts as new. */
function openPlace({ storms, decisions }: ReleaseDeps) {
  return (lane: Lane<ChannelName>, row: HeldRow, now: number): Placement => {
    if (!storms.isRuled(lane)) return NORMAL_SINGLE
    const { last: incident, id, fingerprint, title, service, severity, status, createdAt } = row
    const priority = decisions.priorityOf(row.decision) ?? usualPriority(severity)
    const facts = { incident, id, fingerprint, title, service, severity, status, createdAt }
    return storms.place(lane, { ...facts, priority, committedAt: now })
  }
}
