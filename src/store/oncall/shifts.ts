import { type Calendar, type CalendarShift, openCalendar } from '../../policy/oncall/calendar.ts'
import type { OncallSchedules, Span } from '../../policy/oncall/settings.ts'
import type { StoreContext } from '../engine/context.ts'
import type { KnownShift } from '../ports/schedules.ts'
import { type OverrideRows, REMEMBERED_MS } from './overrides.ts'

/** Rows that one turn writes; the others follow in the next one. */
const STEP = 256
/** A handover that is written later than this is marked. */
const LATE_MS = 60_000
const MARK = ' (written after a stop)'
/** Rows that one answer reads. */
const MAX_LISTED = 20_000

interface ShiftRow {
  readonly from_at: number
  readonly until_at: number | null
  readonly person: string | null
  readonly because: string
}

interface ShiftDeps {
  readonly schedules: OncallSchedules
  readonly calendar: Calendar
  readonly overrides: Pick<OverrideRows, 'since'>
}

/** Who was on call: a row for each shift, written when it begins. All but `list` inside `write`. */
export function openShifts({ db, counts, now }: StoreContext, { schedules, calendar, overrides }: ShiftDeps) {
  const newest =
    db.query<ShiftRow>(`SELECT from_at, until_at, person, because FROM oncall_shifts WHERE schedule = ? AND from_at <= ?
     ORDER BY from_at DESC LIMIT 1`)
  const rows = db.query<ShiftRow>(`SELECT from_at, until_at, person, because FROM oncall_shifts
     WHERE schedule = ? AND from_at <= ? AND (until_at IS NULL OR until_at > ?) ORDER BY from_at LIMIT ${MAX_LISTED}`)
  // A clock that was set back comes to a handover again.
  const put = db.command(
    `INSERT INTO oncall_shifts (schedule, from_at, until_at, person, because) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (schedule, from_at) DO UPDATE SET until_at = excluded.until_at, person = excluded.person, because = excluded.because`,
  )
  const close = db.command('UPDATE oncall_shifts SET until_at = ? WHERE schedule = ? AND from_at = ?')

  function write(schedule: string, { from, until, person, because }: CalendarShift): void {
    const late = now() - from > LATE_MS ? MARK : ''
    put.run(schedule, from, Number.isFinite(until) ? until : null, person ?? null, `${because}${late}`)
  }

  /** Writes what began since the last row, which ended. Returns the number of rows. */
  function goOn(schedule: string, endedAt: number, limit: number): number {
    const known = endedAt > now() - REMEMBERED_MS ? calendar : openCalendar(schedules, () => overrides.since(endedAt))
    const begun = known.shifts(schedule, endedAt, now() + 1).slice(0, limit)
    for (const shift of begun) write(schedule, { ...shift, from: Math.max(shift.from, endedAt) })
    return begun.length
  }

  /** Returns the number of rows that were written, at most `limit`. */
  function follow(schedule: string, limit: number): number {
    const at = now()
    const open = newest.get(schedule, at)
    const shift = calendar.shiftAt(schedule, at)
    if (shift === undefined) return 0
    if (open === undefined) {
      write(schedule, { ...shift, from: at })
      return 1
    }
    if (open.until_at !== null && open.until_at <= at) return goOn(schedule, open.until_at, limit)
    const isSame = open.person === (shift.person ?? null) && open.because.replace(MARK, '') === shift.because
    const until = Number.isFinite(shift.until) ? shift.until : null
    if (isSame && open.until_at === until) return 0
    close.run(isSame ? until : at, schedule, open.from_at)
    if (!isSame) write(schedule, { ...shift, from: at })
    return 1
  }

  return {
    /** Writes handovers that are due. `all`: the clock was set, or what decides changed. Costs no query while nothing is due. */
    tick(all: boolean): void {
      if (!all && counts.schedules.dueAt > now()) return
      let left = STEP
      let dueAt = Number.POSITIVE_INFINITY
      for (const name of calendar.names) {
        if (left > 0) left -= follow(name, left)
        dueAt = Math.min(dueAt, calendar.shiftAt(name, now())?.until ?? dueAt)
      }
      counts.schedules = { ...counts.schedules, dueAt: left > 0 ? dueAt : now() }
    },
    /** Returns the shifts of a span: up to now as they were, from then on as they will be. */
    list(schedule: string, { from, until }: Span): KnownShift[] {
      const current = newest.get(schedule, now())?.from_at
      const past = rows.all(schedule, Math.min(until - 1, now()), from).map((row) => ({
        from: row.from_at,
        until: row.until_at ?? Number.POSITIVE_INFINITY,
        ...(row.person !== null && { person: row.person }),
        because: row.because,
        ...(row.from_at !== current && { recorded: true as const }),
      }))
      const coming = calendar.shifts(schedule, Math.max(from, now()), until)
      return [...past, ...coming.filter((shift) => past.length === 0 || shift.from > now())]
    },
  }
}
