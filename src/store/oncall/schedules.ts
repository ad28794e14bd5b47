import { type ApiOverride, type Calendar, type CalendarShift, openCalendar } from '../../policy/oncall/calendar.ts'
import { createShown } from '../../policy/oncall/edge.ts'
import { localText } from '../../policy/oncall/local-time.ts'
import { DAY_MS, NOBODY, type OncallSchedules, type Span } from '../../policy/oncall/settings.ts'
import type { StoreContext } from '../engine/context.ts'
import { inTransactions, type Write } from '../engine/transaction.ts'
import type { KnownShift, NewOverride, ScheduleNow, StoredOverride } from '../ports/schedules.ts'
import { type OverrideRows, openOverrideRows, REMEMBERED_MS } from './overrides.ts'

/** How far gaps are looked for. */
const LOOKED_MS = 30 * DAY_MS
/** People who are told that an override relieves them. */
const MAX_RELIEVED = 10

/** Plain data: it crosses threads. */
export interface ScheduleRules {
  readonly schedules: OncallSchedules
  readonly people: ReadonlyMap<string, { readonly name: string }>
}

interface ScheduleDeps {
  readonly write: Write
  /** Tells a person by the first chat or mail way. Inside `write`. */
  say(person: string, text: string): void
}

/** Schedules at work: who is on call, was and will be. */
export type Schedules = ReturnType<typeof openSchedules>
export type SchedulesState = ReturnType<Schedules['port']['state']>

export type OpenSchedules = typeof openSchedules

export function openSchedules(context: StoreContext, rules: ScheduleRules, { write, say }: ScheduleDeps) {
  const { counts, now } = context
  const { schedules, people } = rules
  const calendar = openCalendar(schedules, () => counts.schedules.overrides)
  const rows = openOverrideRows(context)
  const shifts = openShifts(context, { schedules, calendar, overrides: rows })

  function reload(): void {
    // The clock may have been set back, and the numbers that calendars make of it only grow.
    const changedAt = Math.max(now(), counts.schedules.changedAt + 1_000)
    counts.schedules = { ...counts.schedules, overrides: rows.since(now() - REMEMBERED_MS), changedAt }
    shifts.tick(true)
  }

  const nameOf = (person: string) => people.get(person)?.name ?? person

  /** People other than the one taken on who would be on call without the override; it must not count yet, or not any more. */
  function relieved({ schedule, from, until, person, insteadOf }: ApiOverride): string[] {
    const there = calendar.shifts(schedule, from, until).flatMap((shift) => shift.person ?? [])
    const found = new Set(there.filter((each) => each !== person && (insteadOf ?? each) === each))
    return [...found].slice(0, MAX_RELIEVED)
  }

  /** Tells the person taken on and those relieved. */
  function tell(override: ApiOverride, relieves: readonly string[], ended: { readonly by: string } | undefined): void {
    const { schedule, person, by, reason } = override
    const words = `${spanText(override)} of the schedule ${schedule}`
    const end = ended && `The override ${words} was ended by ${ended.by}: the plan of the schedule holds again.`
    const why = `. ${by === '' ? '' : `Made by ${by}: `}${reason}`
    if (person !== NOBODY) say(person, end ?? `You are on call ${words}${insteadText(relieves)}${why}`)
    const instead = person === NOBODY ? 'nobody is' : `${nameOf(person)} is`
    for (const each of relieves) say(each, end ?? `You are not on call ${words}, ${instead} instead${why}`)
  }

  const insteadText = (relieves: readonly string[]) =>
    relieves.length === 0 ? '' : ` in place of ${relieves.map(nameOf).join(', ')}`

  function spanText({ schedule, from, until }: ApiOverride): string {
    const timeZone = schedules.get(schedule)?.timeZone ?? 'UTC'
    const shown = createShown(timeZone)
    return `from ${localText(shown(from))} to ${localText(shown(until))} (${timeZone})`
  }

  function stateOf(name: string): ScheduleNow[] {
    const shift = calendar.shiftAt(name, now())
    if (shift === undefined) return []
    const [next] = Number.isFinite(shift.until) ? calendar.shifts(name, shift.until, shift.until + 1) : []
    const gap = firstGap(calendar, name, { from: now(), until: now() + LOOKED_MS })
    return [{ name, now: shift, ...(next && { next }), ...(gap && { gap }) }]
  }
  const states = () => calendar.names.flatMap(stateOf)

  const changes = {
    /** Throws `bad_parameter` when the schedule has 200 that are not over. The people are told. */
    addOverride(made: NewOverride): StoredOverride {
      const stored = rows.add(made)
      tell(stored, relieved(stored), undefined)
      reload()
      return stored
    },
    /** Ends one now. One that is over stays as it is. Undefined: there is none with this number. */
    endOverride(id: number, by: string): StoredOverride | undefined {
      const stored = rows.find(id)
      if (stored === undefined || stored.until <= now()) return stored
      rows.end(stored, by)
      reload()
      tell(stored, relieved({ ...stored, from: Math.max(stored.from, now()) }), { by })
      return rows.find(id)
    },
  }

  return {
    calendar,
    /** Reads overrides and writes what a stop missed. Inside `write`, as the next. */
    start: reload,
    /** Writes the handovers that are due. `all`: the clock was set. Costs no query while nothing is due. */
    tick: shifts.tick,
    /** Store thread; those that change something are transactions of their own. */
    port: {
      now: states,
      /** Returns the shifts of a span: those that are over from the record, which begins when the schedule was first in use. */
      shifts: shifts.list,
      /** Returns when a schedule may have changed last: an override did, or the store was opened. Epoch milliseconds. */
      changedAt: (): number => counts.schedules.changedAt,
      /** Returns those that are not over. */
      overrides: rows.live,
      ...inTransactions(write, changes),
      /** Snapshot for metrics. */
      state: () => ({
        schedules: states()
          .filter(({ name }) => schedules.get(name)?.gaps === 'forbidden')
          .map(({ name, now: { person }, gap }) => ({
            name,
            covered: person !== undefined,
            // Absent: not within 30 days.
            ...(gap && { gapInMs: Math.max(0, gap.from - now()) }),
          })),
        /** Those of clients that are not over. */
        overrides: counts.schedules.overrides.filter(({ until }) => until > now()).length,
      }),
    },
  }
}

/** Returns the first stretch without a person; shifts without one that meet are one stretch. */
function firstGap(calendar: Calendar, name: string, span: Span): Span | undefined {
  const ahead = calendar.shifts(name, span.from, span.until)
  const first = ahead.findIndex(({ person }) => person === undefined)
  if (first === -1) return undefined
  const rest = ahead.slice(first)
  const covered = rest.find(({ person }) => person !== undefined)
  const from = Math.max(span.from, rest[0]?.from ?? span.from)
  return { from, until: covered?.from ?? rest.at(-1)?.until ?? span.until }
}

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
function openShifts({ db, counts, now }: StoreContext, { schedules, calendar, overrides }: ShiftDeps) {
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
