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
import type { Holding } from './holding.ts'
import type { HoldRow, Holds } from './holds.ts'
import type { ClosedWindow, LiveSilence, OpenWindow } from './live.ts'
import type { SilenceRows } from './rows.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from './waiting.ts'

/** Deliveries and timers that one turn tells. */
const STEP = 512
/** Holds of problems that are over, which one turn deletes. */
const DELETED = 4_096

interface HeldRow extends SubjectRow, HoldRow {
  readonly id: string
  readonly createdAt: number
  readonly decision: number | null
}

interface ReleaseDeps {
  readonly rows: Pick<SilenceRows, 'closed' | 'saveClosed'>
  readonly holds: Holds
  readonly holding: Pick<Holding, 'takeOver'>
  readonly accounts: Pick<Accounts, 'raise'>
  readonly storms: Pick<Storms, 'isRuled' | 'place'>
  readonly outages: Pick<Outages, 'late'>
  readonly decisions: Pick<Decisions, 'priorityOf'>
  readonly escalations: Pick<Escalations, 'release'>
  readonly payloads: Pick<Payloads, 'of'>
}

/**
 * Tells what closed windows held: deliveries become pending or places of a digest, timers are armed with their full wait,
 * and every destination that would have been told gets an account. What an active silence fits stays held by that one.
 * A turn tells at most 512; the first ones with the end of the window. Inside `write`.
 */
export interface Release {
  /** The window of a silence closes. */
  begin(silence: LiveSilence): OncallChange[]
  /** Goes on with closed windows. */
  next(): OncallChange[]
  /** Tells what closed windows hold of a problem of which an incident is about to be applied. */
  problem(fingerprint: string): OncallChange[]
  /** The silence opens again, and goes on holding what is left of its last window. */
  keep(silence: number): void
  /** Reads the closed windows of an earlier life. */
  load(): void
  /** Raises the reminder of the end. */
  remind(silence: LiveSilence, window: OpenWindow): void
}

export function openRelease(context: StoreContext, deps: ReleaseDeps): Release {
  const { db, counts, lanes, now } = context
  const { rows, holds, holding, accounts, outages, escalations, payloads } = deps
  const heldWhere = (condition: string) =>
    query<HeldRow>(
      db,
      `SELECT ${SUBJECT_COLUMNS}, h.silence, h.destination, h.last, h.firing, h.told, i.id, i.created_at AS "createdAt", i.decision
       FROM holds h CROSS JOIN incidents i WHERE i.seq = h.last AND h.silence = ? AND h.firing = 1 ${condition}
       ORDER BY h.last, h.destination LIMIT ${STEP}`,
    )
  const held = heldWhere('')
  const heldOf = heldWhere('AND h.fingerprint = ?')
  const release = change(
    db,
    `UPDATE dispatches SET state = ?, due_at = ?, rank = ?, bundle = ?, place = ?
     WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0 AND state = ${STATE.held}`,
  )
  const place = openPlace(deps)

  /** Returns false for a delivery that is not held any more. */
  function tell(row: HeldRow): boolean {
    const { destination: code, last: incident } = row
    const placement = place(lanes.ofChannel(code), row, now())
    const folded = placement.kind === 'fold'
    const rank = folded ? RANK.normal : placement.rank
    const [bundle, at] = folded ? [placement.bundle, placement.place] : [null, null]
    const columns = [folded ? STATE.folded : STATE.pending, folded ? null : now(), rank, bundle, at] as const
    if (release.run(...columns, incident, code) === 0) return false
    counts.held.deliveries--
    outages.late(lanes.ofChannel(code), incident)
    if (!folded) addPending(queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', code), now())
    return true
  }

  function raise(code: number, notice: Omit<SilenceNotice, 'kind'>): void {
    if (lanes.enabled().includes(code)) accounts.raise(lanes.ofChannel(code), { kind: 'silence', ...notice })
  }

  function save(closed: ClosedWindow | undefined, silence: number): void {
    const others = counts.releasing.filter((each) => each.silence !== silence)
    const place = counts.releasing.findIndex((each) => each.silence === silence)
    counts.releasing = closed === undefined ? others : others.toSpliced(place < 0 ? others.length : place, 0, closed)
    rows.saveClosed(silence, closed)
  }

  /** Ends the holds of a closed window; returns it with its account. */
  function releaseRows(closed: ClosedWindow, found: readonly HeldRow[], changes: OncallChange[]): ClosedWindow {
    const others = counts.silences.active.filter(({ id }) => id !== closed.silence)
    const byCode = new Map(closed.accounts.map((account) => [account.destination, { ...account }]))
    for (const row of found) {
      const account = byCode.get(row.destination)
      const other = others.find(({ compiled }) => compiled.fits(subjectOf(row, payloads)))
      if (other !== undefined) {
        changes.push(...holding.takeOver(row, other.id))
        if (account !== undefined) account.heldOn++
      } else if (row.destination === DESTINATION_CODE.oncall) changes.push(...escalations.release(row.last))
      else if (tell(row) && account !== undefined) account.told++
      holds.remove(row)
    }
    return { ...closed, accounts: [...byCode.values()] }
  }

  function raiseAccounts({ silence, name, owner, endsAt, accounts: all }: ClosedWindow): void {
    for (const { destination, alerts, problems, told: firing, heldOn } of all) {
      const sums = { alerts, problems, resolved: problems - firing - heldOn, firing, heldOn }
      raise(destination, { silence, name, owner, phase: 'over', endsAt, ...sums })
    }
  }

  function step(closed: ClosedWindow): OncallChange[] {
    const changes: OncallChange[] = []
    const found = held.all(closed.silence)
    const after = releaseRows(closed, found, changes)
    if (found.length === STEP) save(after, closed.silence)
    else {
      raiseAccounts(after)
      const isLeft = holds.removeOver(closed.silence, DELETED) === DELETED
      save(isLeft ? { ...after, accounts: [] } : undefined, closed.silence)
    }
    return changes
  }

  return {
    begin({ id: silence, settings: { name, owner }, window }) {
      const own = holds
        .byDestination(silence)
        .map(({ destination, alerts, problems }) => ({ destination, alerts, problems, told: 0, heldOn: 0 }))
      return step({ silence, name, owner, endsAt: window?.to ?? now(), accounts: own })
    },
    next() {
      const [closed] = counts.releasing
      return closed === undefined ? [] : step(closed)
    },
    problem(fingerprint) {
      const changes: OncallChange[] = []
      for (const closed of counts.releasing) {
        const found = heldOf.all(closed.silence, fingerprint)
        if (found.length > 0) save(releaseRows(closed, found, changes), closed.silence)
      }
      return changes
    },
    keep(silence) {
      const closed = counts.releasing.find((each) => each.silence === silence)
      if (closed === undefined) return
      holds.removeOver(silence, Number.MAX_SAFE_INTEGER)
      const left = new Map(holds.byDestination(silence).map(({ destination, firing }) => [destination, firing]))
      raiseAccounts({
        ...closed,
        accounts: closed.accounts.map((account) => ({
          ...account,
          heldOn: account.heldOn + (left.get(account.destination) ?? 0),
        })),
      })
      holds.countAnew(silence)
      save(undefined, silence)
    },
    load() {
      counts.releasing = rows.closed()
    },
    remind({ id: silence, settings: { name, owner } }, { to: endsAt }) {
      for (const { destination, alerts, problems, firing } of holds.byDestination(silence)) {
        const sums = { alerts, problems, resolved: problems - firing, firing, heldOn: 0 }
        if (firing > 0) raise(destination, { silence, name, owner, phase: 'ending', endsAt, ...sums })
      }
    },
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
