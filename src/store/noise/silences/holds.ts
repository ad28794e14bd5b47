import { severityRank } from '../../../domain/severity.ts'
import { DESTINATION_CODE, KIND, STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import { command, query, withoutNul } from '../../engine/statement.ts'
import type { WindowAccount } from './rows.ts'

export interface HoldRow {
  readonly silence: number
  readonly fingerprint: string
  readonly destination: number
  readonly last: number
  readonly firing: number
}

/** An incident that a silence keeps from a destination. */
interface HeldIncident {
  readonly silence: number
  readonly fingerprint: string
  readonly destination: number
  readonly incident: number
  readonly severity: string
}

/** Sums of the open window of a silence at one destination. */
interface DestinationAccount {
  readonly destination: number
  readonly alerts: number
  readonly problems: number
  readonly firing: number
}

/** Rows of `holds`. Changes inside `write`. */
export interface Holds {
  /** Makes a firing incident the held one of its problem; returns the one before, if it was held. */
  hold(held: HeldIncident): number | undefined
  /** Counts an incident that is not held, and ends the hold of its problem. */
  silenced(held: HeldIncident): void
  /** All rows of a problem. */
  ofFingerprint(fingerprint: string): HoldRow[]
  /** The problem of a row is over, or its incident is told. */
  release(row: Pick<HoldRow, 'silence' | 'fingerprint' | 'destination'>): void
  /** Moves a hold to another silence; returns the incident that this one held of the problem. The newer one counts. */
  move(row: HoldRow, silence: number): number | undefined
  holds(silence: number, fingerprint: string): boolean
  holdsFiring(silence: number): boolean
  byDestination(silence: number): DestinationAccount[]
  account(silence: number): Omit<WindowAccount, 'from' | 'to'> & { readonly lastAt: number | null }
  /** The incident of a row is told, or held on by another silence. */
  remove(row: Pick<HoldRow, 'silence' | 'fingerprint' | 'destination'>): void
  /** Deletes rows of problems that are over; returns how many. */
  removeOver(silence: number, limit: number): number
  /** A new window holds what its last one left: one incident of each problem. */
  countAnew(silence: number): void
}

export function openHolds({ db, now }: Pick<StoreContext, 'db' | 'now'>): Holds {
  const key = 'silence = ? AND fingerprint = ? AND destination = ?'
  const find = query<{ last: number; firing: number }>(db, `SELECT last, firing FROM holds WHERE ${key}`)
  const upsert = command(
    db,
    `INSERT INTO holds (silence, fingerprint, destination, last, firing, alerts, level, first_at, last_at)
     VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?7)
     ON CONFLICT (silence, fingerprint, destination) DO UPDATE SET last = ?4, firing = ?5, alerts = holds.alerts + 1,
       level = CASE WHEN holds.level < ?6 THEN holds.level ELSE ?6 END, last_at = ?7`,
  )
  const byFingerprint = query<HoldRow>(
    db,
    'SELECT silence, fingerprint, destination, last, firing FROM holds WHERE fingerprint = ?',
  )
  const release = command(db, `UPDATE holds SET firing = 0 WHERE ${key}`)
  const move = command(
    db,
    `INSERT INTO holds (silence, fingerprint, destination, last, firing, alerts, level, first_at, last_at)
     SELECT ?1, fingerprint, destination, last, 1, 1, level, first_at, last_at FROM holds
       WHERE silence = ?2 AND fingerprint = ?3 AND destination = ?4
     ON CONFLICT (silence, fingerprint, destination) DO UPDATE SET last = CASE WHEN holds.firing = 1 AND holds.last > excluded.last THEN holds.last ELSE excluded.last END, firing = 1,
       alerts = holds.alerts + 1, level = CASE WHEN holds.level < excluded.level THEN holds.level ELSE excluded.level END`,
  )
  const known = query<object>(db, 'SELECT 1 FROM holds WHERE silence = ? AND fingerprint = ? LIMIT 1')
  const firing = query<object>(db, 'SELECT 1 FROM holds WHERE silence = ? AND firing = 1 LIMIT 1')
  const byDestination = query<DestinationAccount>(
    db,
    `SELECT destination, sum(alerts) AS alerts, count(*) AS problems, sum(firing) AS firing FROM holds
     WHERE silence = ? AND destination <> ${DESTINATION_CODE.oncall} GROUP BY destination ORDER BY destination`,
  )
  const account = query<{
    alerts: number
    problems: number
    firing: number
    criticals: number
    pages: number
    last_at: number | null
  }>(
    db,
    `SELECT coalesce(sum(alerts), 0) AS alerts, count(*) AS problems, coalesce(sum(firing), 0) AS firing,
       count(*) FILTER (WHERE firing = 1 AND level = 0) AS criticals, coalesce(sum(pages), 0) AS pages, max(last_at) AS last_at
     FROM (SELECT max(alerts) AS alerts, max(firing) AS firing, min(level) AS level, max(last_at) AS last_at,
       max(CASE WHEN firing = 1 AND destination = ${DESTINATION_CODE.oncall} THEN 1 ELSE 0 END) AS pages
       FROM holds WHERE silence = ? GROUP BY fingerprint) held`,
  )
  const remove = command(db, `DELETE FROM holds WHERE ${key}`)
  const over = query<HoldRow>(
    db,
    'SELECT silence, fingerprint, destination, last, firing FROM holds WHERE silence = ? AND firing = 0 LIMIT ?',
  )
  const countAnew = command(db, 'UPDATE holds SET alerts = 1 WHERE silence = ?')

  const removeRow = ({ silence, fingerprint, destination }: Pick<HoldRow, 'silence' | 'fingerprint' | 'destination'>) =>
    void remove.run(silence, fingerprint, destination)

  function add({ silence, fingerprint, destination, incident, severity }: HeldIncident, isFiring: 0 | 1): void {
    upsert.run(silence, withoutNul(fingerprint), destination, incident, isFiring, severityRank(severity), now())
  }

  return {
    hold(held) {
      const before = find.get(held.silence, withoutNul(held.fingerprint), held.destination)
      add(held, 1)
      return before?.firing === 1 ? before.last : undefined
    },
    silenced: (held) => add(held, 0),
    ofFingerprint: (fingerprint) => byFingerprint.all(withoutNul(fingerprint)),
    release: ({ silence, fingerprint, destination }) => void release.run(silence, fingerprint, destination),
    move({ silence, fingerprint, destination }, to) {
      const before = find.get(to, fingerprint, destination)
      move.run(to, silence, fingerprint, destination)
      return before?.firing === 1 ? before.last : undefined
    },
    holds: (silence, fingerprint) => known.get(silence, withoutNul(fingerprint)) !== undefined,
    holdsFiring: (silence) => firing.get(silence) !== undefined,
    byDestination: (silence) => byDestination.all(silence),
    account(silence) {
      const { last_at: lastAt = null, ...sums } = account.get(silence) ?? NOTHING
      return { ...sums, resolved: sums.problems - sums.firing, lastAt }
    },
    remove: removeRow,
    removeOver(silence, limit) {
      const found = over.all(silence, limit)
      for (const row of found) removeRow(row)
      return found.length
    },
    countAnew: (silence) => void countAnew.run(silence),
  }
}

const NOTHING = { alerts: 0, problems: 0, firing: 0, criticals: 0, pages: 0, last_at: null }

/** Problems that fire and that a destination was told of. Changes inside `write`. */
export interface ToldProblems {
  /** Reads them from the stored incidents, before the first silence is active. */
  load(): void
  isTold(fingerprint: string, destination: number): boolean
  add(fingerprint: string, destination: number): void
  /** The problem is over. */
  forget(fingerprint: string): void
}

interface ToldRow {
  readonly fingerprint: string
  readonly over: number
  readonly destination: number | null
  readonly told: number | null
}

export function openToldProblems({ db }: Pick<StoreContext, 'db'>): ToldProblems {
  const clear = command(db, 'DELETE FROM told_problems')
  const insert = command(
    db,
    'INSERT INTO told_problems (fingerprint, destination) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const find = query<object>(db, 'SELECT 1 FROM told_problems WHERE fingerprint = ? AND destination = ?')
  const forget = command(db, 'DELETE FROM told_problems WHERE fingerprint = ?')
  const all = query<ToldRow>(
    db,
    `SELECT i.fingerprint, i.status = 'resolved' OR i.resolved_at IS NOT NULL AS over, d.destination,
       d.state IN (${STATE.sending}, ${STATE.sent}, ${STATE.folded}) OR (d.state = ${STATE.pending} AND d.may_duplicate = 1) AS told
     FROM incidents i LEFT JOIN dispatches d ON d.incident = i.seq AND d.kind = ${KIND.delivery} ORDER BY i.seq`,
  )
  return {
    load() {
      clear.run()
      const open = new Map<string, Set<number>>()
      for (const { fingerprint, over, destination, told } of all.iterate()) {
        if (over) open.delete(fingerprint)
        else if (told && destination !== null)
          open.set(fingerprint, (open.get(fingerprint) ?? new Set()).add(destination))
      }
      for (const [fingerprint, destinations] of open)
        for (const destination of destinations) insert.run(fingerprint, destination)
    },
    isTold: (fingerprint, destination) => find.get(withoutNul(fingerprint), destination) !== undefined,
    add: (fingerprint, destination) => void insert.run(withoutNul(fingerprint), destination),
    forget: (fingerprint) => void forget.run(withoutNul(fingerprint)),
  }
}
