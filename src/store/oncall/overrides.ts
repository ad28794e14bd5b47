import { CodedError } from '../../domain/errors.ts'
import type { ApiOverride } from '../../policy/oncall/calendar.ts'
import { DAY_MS } from '../../policy/oncall/settings.ts'
import type { StoreContext } from '../engine/context.ts'
import { withoutNul } from '../engine/statement.ts'
import type { NewOverride, StoredOverride } from '../ports/schedules.ts'

/** Live overrides of one schedule. */
const MAX_LIVE = 200
/** Overrides that one answer lists. */
const MAX_LISTED = 1_000
/** Overrides that ended so long ago are not in memory. */
export const REMEMBERED_MS = 35 * DAY_MS

interface OverrideRow {
  readonly id: number
  readonly schedule: string
  readonly from_at: number
  readonly until_at: number
  readonly person: string
  readonly instead_of: string | null
  readonly made_by: string
  readonly reason: string
  readonly made_at: number
  readonly ended_at: number | null
  readonly ended_by: string | null
}

export type OverrideRows = ReturnType<typeof openOverrideRows>

/** Overrides of clients on disk. All but the reads inside `write`. */
export function openOverrideRows({ db, now }: Pick<StoreContext, 'db' | 'now'>) {
  const insert = db.query<OverrideRow>(
    `INSERT INTO oncall_overrides (schedule, from_at, until_at, person, instead_of, made_by, reason, made_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
  )
  const live = db.query<{ rows: number }>(
    'SELECT count(*) AS rows FROM oncall_overrides WHERE until_at > ? AND schedule = ? AND ended_at IS NULL',
  )
  const counting = db.query<OverrideRow>(
    'SELECT * FROM oncall_overrides WHERE until_at > ? AND (ended_at IS NULL OR ended_at > from_at) ORDER BY until_at',
  )
  const listed = db.query<OverrideRow>(
    `SELECT * FROM oncall_overrides WHERE until_at > ? AND ended_at IS NULL ORDER BY from_at, id LIMIT ${MAX_LISTED}`,
  )
  const found = db.query<OverrideRow>('SELECT * FROM oncall_overrides WHERE id = ?')
  const close = db.command('UPDATE oncall_overrides SET ended_at = ?, ended_by = ? WHERE id = ?')

  return {
    /** Throws `bad_parameter` when the schedule has too many. */
    add(made: NewOverride): StoredOverride {
      if ((live.get(now(), made.schedule)?.rows ?? 0) >= MAX_LIVE)
        throw new CodedError(
          'bad_parameter',
          `the schedule has ${MAX_LIVE} overrides that are not over: end some first`,
        )
      const people = [made.person, made.insteadOf ?? null, withoutNul(made.by), withoutNul(made.reason)]
      return storedOf(insert.get(made.schedule, made.from, made.until, ...people, now()) as OverrideRow)
    },
    find(id: number): StoredOverride | undefined {
      const row = found.get(id)
      return row && storedOf(row)
    },
    /** Does nothing to one that is over. */
    end(stored: StoredOverride, by: string): void {
      if (stored.endedAt === undefined && stored.until > now()) close.run(now(), withoutNul(by), stored.id)
    },
    /** Returns those that are not over, the next first. */
    live: (): StoredOverride[] => listed.all(now()).map(storedOf),
    /** Returns those that decided something after an instant, or will. */
    since: (instant: number): ApiOverride[] => counting.all(instant).map(storedOf),
  }
}

function storedOf(row: OverrideRow): StoredOverride {
  return {
    id: row.id,
    schedule: row.schedule,
    from: row.from_at,
    until: Math.min(row.until_at, row.ended_at ?? row.until_at),
    person: row.person,
    ...(row.instead_of !== null && { insteadOf: row.instead_of }),
    by: row.made_by,
    reason: row.reason,
    madeAt: row.made_at,
    ...(row.ended_at !== null && { endedAt: row.ended_at, endedBy: row.ended_by ?? '' }),
  }
}
