import type { ChannelName } from '../../../domain/delivery/delivery.ts'
import { RANK, type Rank } from '../../../domain/delivery/dispatch.ts'
import type { SilenceNotice } from '../../../domain/delivery/notice.ts'
import { usualPriority } from '../../../policy/outcome.ts'
import type { Placement } from '../../bundles/placement.ts'
import { DESTINATION_CODE, KIND, PHASE, STATE } from '../../engine/column-codes.ts'
import { type Lane, queueOf } from '../../engine/counts.ts'
import { addPending } from '../../outbox/queues.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import { NOTHING_HELD, type Telling } from '../../tellings/rows.ts'
import { type HeldSums, NO_SUMS } from '../../tellings/sums.ts'
import type { NoiseParts } from '../noise.ts'
import { type ClosedWindow, fittingSilences, type LiveSilence, type OpenWindow } from './live.ts'
import type { SilenceRows } from './rows.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from './waiting.ts'

/** Deliveries and timers that one step tells. */
const STEP = 64
/** Tellings of problems that are over, which a window that begins again forgets at once. */
const OVER = 4_096

/** An incident that is held from a destination. */
interface HeldRow extends SubjectRow {
  readonly problem: number
  readonly destination: number
  /** Number of the incident. */
  readonly held: number
  readonly id: string
  readonly createdAt: number
  readonly decision: number | null
  /** Fingerprints of the alerts of its group, in JSON. */
  readonly group: string | null
  /** 1: another incident pages for it, and no person took it. */
  readonly joined: number
}

/** Retention has deleted the incident: all its columns are null. */
interface DeletedRow extends Pick<HeldRow, 'problem' | 'destination' | 'held'> {
  readonly id: null
}

/**
 * Tells what closed windows held, in steps: deliveries become pending or places of a digest, timers are armed with their full
 * wait, and every destination that would have been told gets an account. What an active silence fits stays held by that
 * one. Inside `write`.
 */
export type Release = ReturnType<typeof openRelease>

export function openRelease(context: NoiseParts, rows: Pick<SilenceRows, 'closed' | 'saveClosed'>) {
  const { db, counts, lanes, now, tellings, problems, accounts, pages, payloads } = context
  const heldWhere = (condition: string) =>
    db.query<
      HeldRow | DeletedRow
    >(`SELECT ${SUBJECT_COLUMNS}, t.problem, t.destination, t.held, i.id, i.created_at AS "createdAt", i.decision, i.members AS "group",
         CASE WHEN i.page = ${PHASE.joined} AND i.acked_at IS NULL THEN 1 ELSE 0 END AS joined
       FROM tellings t LEFT JOIN incidents i ON i.seq = t.held WHERE ${condition}`)
  const heldFrom = heldWhere(`t.silence = ? AND t.held >= ? ORDER BY t.held, t.problem LIMIT ${STEP}`)
  // The index by silence would read all that it holds.
  const heldOf = heldWhere('+t.silence = ? AND t.held IS NOT NULL AND t.problem = ?')
  const over = db.query<Pick<Telling, 'problem' | 'destination'>>(
    'SELECT problem, destination FROM tellings WHERE silence = ? AND held IS NULL ORDER BY problem LIMIT ?',
  )
  const mark = db.command('UPDATE incidents SET silence = ? WHERE seq = ?')
  const overridesOf = db.query<{ overrides: string | null }>('SELECT overrides FROM particulars WHERE seq = ?')
  const tell = openTell(context)

  /** An incident that is sent pages as if it came now when it is louder than the page that it joined; an escalation knows it. */
  function pageOf(row: HeldRow): OncallChange[] {
    if (row.joined === 0) return []
    const alert = subjectOf(row, payloads)
    const { page } = context.decide(
      alert,
      JSON.parse(overridesOf.get(row.seq)?.overrides ?? 'null') ?? undefined,
      now(),
    )
    const members = JSON.parse(row.group ?? 'null') ?? undefined
    if (page === undefined || (page.escalation !== undefined && context.runs !== undefined)) return []
    return pages.louder({ incident: row.seq, problem: row.problem, alert: { ...row, members }, ...page })
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

  /** Nothing of the problem is held there any more. A problem that was deleted leaves nothing. */
  function clear(telling: Telling, isStored = true): void {
    tellings.put({ ...telling, ...NOTHING_HELD, ...(isStored ? undefined : { told: 0, messageId: null }) })
  }

  /** Ends the holds of a closed window; returns it with its account. */
  function releaseRows(
    closed: ClosedWindow,
    found: readonly (HeldRow | DeletedRow)[],
    changes: OncallChange[],
  ): ClosedWindow {
    const byCode = new Map(closed.accounts.map((account) => [account.destination, { ...account }]))
    const told: HeldRow[] = []
    for (const row of found) {
      const { problem, destination, held } = row
      const account = byCode.get(destination)
      const telling = tellings.of(problem, destination)
      if (row.id === null) {
        clear(telling, problems.numbered(problem) !== undefined)
        continue
      }
      const fitting = fittingSilences(counts.silences, subjectOf(row, payloads))
      const other = fitting.find(({ id }) => id !== closed.silence)
      if (other !== undefined) {
        tellings.put({ ...telling, silence: other.id, alerts: 1 })
        mark.run(other.id, held)
        if (account !== undefined) account.heldOn++
        continue
      }
      clear(telling, problems.numberOf(row.fingerprint) === problem)
      if (destination === DESTINATION_CODE.oncall) changes.push(...pages.release(problem))
      else {
        changes.push(...pageOf(row))
        told.push(row)
      }
      if (account !== undefined) account.told++
    }
    tell(told)
    return { ...closed, after: found.at(-1)?.held ?? closed.after, accounts: [...byCode.values()] }
  }

  function raiseAccounts({ silence, name, owner, endsAt, accounts: all }: ClosedWindow): void {
    for (const { destination, alerts, problems: count, told: firing, heldOn } of all) {
      const sums = { alerts, problems: count, resolved: count - firing - heldOn, firing, heldOn }
      raise(destination, { silence, name, owner, phase: 'over', endsAt, ...sums })
    }
  }

  /** Forgets problems that are over; returns how many. */
  function clearOver(silence: number, limit: number): number {
    tellings.flush()
    const found = over.all(silence, limit)
    tellings.prefetch(found.map(({ problem }) => problem))
    for (const { problem, destination } of found) clear(tellings.of(problem, destination))
    return found.length
  }

  return {
    /** The window of a silence closes. */
    begin({ id: silence, settings: { name, owner, parent }, window }: LiveSilence): void {
      const { destinations } = tellings.sums.find(silence)
      const told = parent === undefined ? destinations : []
      const own = told.map(({ destination, alerts, problems: count }) => ({
        ...{ destination, alerts, problems: count, told: 0, heldOn: 0 },
      }))
      save({ silence, name, owner, endsAt: window?.to ?? now(), after: 0, accounts: own }, silence)
    },
    /** Tells the next of what closed windows hold. */
    next(): OncallChange[] {
      const changes: OncallChange[] = []
      const [closed] = counts.releasing
      if (closed === undefined) return changes
      tellings.flush()
      const found = heldFrom.all(closed.silence, closed.after)
      tellings.prefetch(found.map(({ problem }) => problem))
      const after = releaseRows(closed, found, changes)
      if (found.length === STEP) save(after, closed.silence)
      else {
        raiseAccounts(after)
        const isLeft = clearOver(closed.silence, STEP) === STEP
        if (!isLeft) tellings.sums.set(closed.silence, NO_SUMS)
        save(isLeft ? { ...after, accounts: [] } : undefined, closed.silence)
      }
      return changes
    },
    /** Tells what closed windows hold of a problem of which an incident is about to be applied. */
    problem(problem: number): OncallChange[] {
      const changes: OncallChange[] = []
      for (const closed of counts.releasing) {
        if (!tellings.all(problem).some(({ silence, held }) => silence === closed.silence && held !== null)) continue
        tellings.flush()
        const { accounts: left } = releaseRows(closed, heldOf.all(closed.silence, problem), changes)
        save({ ...closed, accounts: left }, closed.silence)
      }
      return changes
    },
    /**
     * The silence opens again, and goes on holding what is left of its last window: returns the sums of that; undefined:
     * nothing is.
     */
    keep(silence: number): HeldSums | undefined {
      const closed = counts.releasing.find((each) => each.silence === silence)
      if (closed === undefined) return undefined
      clearOver(silence, OVER)
      const left = tellings.sums.find(silence)
      const firing = new Map(left.destinations.map((each) => [each.destination, each.firing]))
      const kept = closed.accounts.map((each) => ({
        ...each,
        heldOn: each.heldOn + (firing.get(each.destination) ?? 0),
      }))
      raiseAccounts({ ...closed, accounts: kept })
      const anew = <Sums extends { readonly firing: number }>(sums: Sums) => ({
        ...{ ...sums, alerts: sums.firing, problems: sums.firing },
      })
      save(undefined, silence)
      return { ...anew(left), destinations: left.destinations.map(anew) }
    },
    /** Reads the closed windows of an earlier life. */
    load(): void {
      counts.releasing = rows.closed()
    },
    /** Raises the reminder of the end. */
    remind({ id: silence, settings: { name, owner } }: LiveSilence, { to: endsAt }: OpenWindow): void {
      for (const { destination, alerts, problems: count, firing } of tellings.sums.find(silence).destinations) {
        const sums = { alerts, problems: count, resolved: count - firing, firing, heldOn: 0 }
        if (firing > 0) raise(destination, { silence, name, owner, phase: 'ending', endsAt, ...sums })
      }
    },
  }
}

/** Opens the telling of deliveries that were held: they pass the storm rule, and count as new. */
function openTell({ db, counts, lanes, now, decisions, storms, outages }: NoiseParts) {
  const HELD = `kind = ${KIND.delivery} AND destination = ? AND number = 0`
  const fold = db.command(
    `UPDATE dispatches SET state = ${STATE.folded}, bundle = ?, place = ?, rank = ${RANK.normal} WHERE ${HELD} AND incident = ?`,
  )
  const makeDue = db.commandList(
    (places) =>
      `UPDATE dispatches SET state = ${STATE.pending}, due_at = ?, rank = ? WHERE ${HELD} AND incident IN (${places})`,
  )

  function place(lane: Lane<ChannelName>, row: HeldRow): Placement {
    const { seq: incident, id, problem, fingerprint, title, service, severity, status, createdAt } = row
    const priority = decisions.priorityOf(row.decision) ?? usualPriority(severity)
    const facts = { incident, id, problem, fingerprint, title, service, severity, status, createdAt }
    return storms.place(lane, { ...facts, priority, committedAt: now() })
  }

  function pending(code: number, rank: Rank, incidents: readonly number[]): void {
    makeDue(incidents, now(), rank, code)
    for (const _ of incidents) addPending(queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', code), now())
  }

  function placeOne(lane: Lane<ChannelName>, row: HeldRow): void {
    const placement = place(lane, row)
    if (placement.kind === 'fold') fold.run(placement.bundle, placement.place, lane.code, row.seq)
    else pending(lane.code, placement.rank, [row.seq])
  }

  return (rows: readonly HeldRow[]): void => {
    for (const [code, ofLane] of Map.groupBy(rows, ({ destination }) => destination)) {
      const lane = lanes.ofChannel(code)
      const incidents = ofLane.map(({ seq }) => seq)
      if (storms.isRuled(lane)) for (const row of ofLane) placeOne(lane, row)
      else pending(code, RANK.normal, incidents)
      for (const incident of incidents) outages.late(lane, incident)
    }
  }
}
