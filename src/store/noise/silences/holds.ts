import { severityRank } from '../../../domain/severity.ts'
import { DESTINATION_CODE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import { command, query, withoutNul } from '../../engine/statement.ts'
import type { WindowAccount } from './rows.ts'

export interface HoldRow {
  readonly silence: number
  readonly fingerprint: string
  readonly destination: number
  readonly last: number
  readonly firing: number
  readonly told: number
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
  find(key: Pick<HoldRow, 'silence' | 'fingerprint' | 'destination'>): Pick<HoldRow, 'last' | 'firing'> | undefined
  /**
   * Makes a firing incident the held one of its problem; returns the one before, if it was held. `wasTold`: whether the
   * destination was told of the problem; asked when it begins to be held.
   */
  hold(held: HeldIncident, wasTold: () => boolean): number | undefined
  /** Counts an incident that is older than the held one. */
  older(held: HeldIncident): void
  /** The destination is told of the problem, whose newer incidents are held. */
  tell(fingerprint: string, destination: number): void
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
  const find = query<Pick<HoldRow, 'last' | 'firing' | 'told'>>(db, `SELECT last, firing, told FROM holds WHERE ${key}`)
  const upsert = command(
    db,
    `INSERT INTO holds (silence, fingerprint, destination, last, firing, alerts, level, first_at, last_at, told)
     VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?7, ?8)
     ON CONFLICT (silence, fingerprint, destination) DO UPDATE SET last = ?4, firing = ?5, alerts = holds.alerts + 1,
       level = CASE WHEN holds.level < ?6 THEN holds.level ELSE ?6 END, last_at = ?7, told = ?8`,
  )
  const older = command(db, `UPDATE holds SET alerts = alerts + 1 WHERE ${key}`)
  const tell = command(db, 'UPDATE holds SET told = 1 WHERE fingerprint = ? AND destination = ? AND firing = 1')
  const byFingerprint = query<HoldRow>(
    db,
    'SELECT silence, fingerprint, destination, last, firing, told FROM holds WHERE fingerprint = ?',
  )
  const release = command(db, `UPDATE holds SET firing = 0 WHERE ${key}`)
  const move = command(
    db,
    `INSERT INTO holds (silence, fingerprint, destination, last, firing, alerts, level, first_at, last_at, told)
     SELECT ?1, fingerprint, destination, last, 1, 1, level, first_at, last_at, told FROM holds
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

  function add(held: HeldIncident, isFiring: 0 | 1, told: 0 | 1): void {
    const { silence, fingerprint, destination, incident, severity } = held
    upsert.run(silence, withoutNul(fingerprint), destination, incident, isFiring, severityRank(severity), now(), told)
  }

  return {
    find: (held) => find.get(held.silence, withoutNul(held.fingerprint), held.destination),
    hold(held, wasTold) {
      const before = find.get(held.silence, withoutNul(held.fingerprint), held.destination)
      const isHeld = before?.firing === 1
      add(held, 1, (isHeld ? before.told === 1 : wasTold()) ? 1 : 0)
      return isHeld ? before.last : undefined
    },
    older: ({ silence, fingerprint, destination }) => older.run(silence, withoutNul(fingerprint), destination),
    tell: (fingerprint, destination) => tell.run(withoutNul(fingerprint), destination),
    silenced: (held) => add(held, 0, 0),
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
