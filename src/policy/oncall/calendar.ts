import { clipped, compileSchedule, firstAfter, overlaid, overrideText, reasonOf } from './schedule.ts'
import { DAY_MS, NOBODY, type OncallSchedule, type OncallSchedules, type Span } from './settings.ts'

/** An override that a client made. Its times are instants; one that was ended early has its end as `until`. */
export interface ApiOverride extends Span {
  readonly id: number
  readonly schedule: string
  /** Key of a person, or `nobody`: it makes a gap. */
  readonly person: string
  /** Only what would be this person's is covered. */
  readonly insteadOf?: string
  readonly by: string
  readonly reason: string
}

/** A stretch with one person, or a gap. Infinite edges: for all that is known. */
export interface CalendarShift extends Span {
  /** Key of a person; absent: nobody is on call. */
  readonly person?: string
  /** `layer nights`, `override 7 by Ben: holidays`, `override 1 of the file`, `gap`. */
  readonly because: string
}

/** A shift at an instant. `next`: when somebody is on call again; absent where somebody is, or nobody will be for 400 days. */
export type ShiftNow = CalendarShift & { readonly next?: number }

/** The compiled stretch around an instant that was asked for. */
const BEFORE_MS = 2 * DAY_MS
const AFTER_MS = 70 * DAY_MS
/** A list of so many days that begins in the compiled stretch is answered from it. */
const LIST_MS = 35 * DAY_MS
/** How far the end of a gap is looked for. */
const NEXT_MS = 400 * DAY_MS

export type Calendar = ReturnType<typeof openCalendar>

/**
 * Answers who is on call by the schedules of the file and the overrides of clients, which lie above them; of two that
 * overlap the later id wins. `overridesOf` returns the same array for as long as none changes.
 */
export function openCalendar(schedules: OncallSchedules, overridesOf: () => readonly ApiOverride[]) {
  const opened = new Map(Array.from(schedules, ([name, schedule]) => [name, openSchedule(name, schedule)]))
  return {
    names: [...schedules.keys()],
    /** Returns the shift that holds the instant; undefined: there is no such schedule. Under 1 us in the span that is compiled. */
    shiftAt: (name: string, instant: number): ShiftNow | undefined => opened.get(name)?.shiftAt(instant, overridesOf()),
    /** Returns the shifts and gaps that fill the span, in order; the first and the last keep their edges. Empty: no such schedule. */
    shifts: (name: string, from: number, until: number): readonly CalendarShift[] =>
      from < until ? (opened.get(name)?.shifts({ from, until }, overridesOf()) ?? []) : [],
  }
}

function openSchedule(name: string, schedule: OncallSchedule) {
  let compiledSpan: Span = { from: 0, until: 0 }
  /** Of the file, in the compiled span. */
  let below: readonly CalendarShift[] = []
  let shifts: readonly CalendarShift[] = []
  let known: readonly ApiOverride[] = []
  /** Ends of gaps that were looked for, by the begin of the shift. */
  const nexts = new Map<number, number | undefined>()

  const holds = (instant: number): boolean => instant >= compiledSpan.from && instant < compiledSpan.until
  const compiled = (span: Span): readonly CalendarShift[] =>
    compileSchedule(schedule, span).shifts.map((shift) => ({ ...shift, because: reasonOf(shift, schedule) }))

  function covered(fromFile: readonly CalendarShift[], overrides: readonly ApiOverride[]): readonly CalendarShift[] {
    const theirs = overrides.filter((each) => each.schedule === name).sort((a, b) => a.id - b.id)
    return theirs.reduce((above, override) => overlaid(above, coverOf(override, above)), fromFile)
  }

  function overlay(overrides: readonly ApiOverride[]): void {
    known = overrides
    shifts = touching(covered(below, overrides), compiledSpan)
    nexts.clear()
  }

  function compileAround(instant: number, overrides: readonly ApiOverride[]): void {
    compiledSpan = { from: instant - BEFORE_MS, until: instant + AFTER_MS }
    below = compiled(compiledSpan)
    overlay(overrides)
  }

  function shiftsIn(span: Span, overrides: readonly ApiOverride[]): readonly CalendarShift[] {
    const isNear = holds(span.from) && span.until - span.from <= LIST_MS
    if (isNear && span.until > compiledSpan.until) compileAround(span.from, overrides)
    const isCompiled = span.from >= compiledSpan.from && span.until <= compiledSpan.until && overrides === known
    return touching(isCompiled ? shifts : covered(compiled(span), overrides), span)
  }

  function nextFrom({ from, until }: CalendarShift, at: number, overrides: readonly ApiOverride[]): number | undefined {
    const near = shifts.slice(at).find(hasPerson)
    if (near !== undefined || !Number.isFinite(until)) return near?.from
    if (!nexts.has(from)) {
      const far = { from: compiledSpan.until, until: compiledSpan.until + NEXT_MS }
      nexts.set(from, shiftsIn(far, overrides).find(hasPerson)?.from)
    }
    return nexts.get(from)
  }

  return {
    shiftAt(instant: number, overrides: readonly ApiOverride[]): ShiftNow | undefined {
      if (!holds(instant)) compileAround(instant, overrides)
      else if (overrides !== known) overlay(overrides)
      const at = firstAfter(shifts, instant) - 1
      const shift = shifts[at]
      if (shift === undefined || shift.person !== undefined) return shift
      const next = nextFrom(shift, at, overrides)
      return { ...shift, ...(next !== undefined && { next }) }
    },
    shifts: shiftsIn,
  }
}

const hasPerson = ({ person }: CalendarShift) => person !== undefined
const touching = (shifts: readonly CalendarShift[], span: Span) =>
  shifts.filter(({ from, until }) => from < span.until && until > span.from)

/** Returns the shifts that an override puts above the others. What it takes from a person keeps its edges. */
function coverOf(override: ApiOverride, below: readonly CalendarShift[]): CalendarShift[] {
  const { id, from, until, person, insteadOf } = override
  const because = overrideText(`${id}`, override)
  const cover = { ...(person !== NOBODY && { person }), because }
  if (insteadOf === undefined) return from < until ? [{ from, until, ...cover }] : []
  const theirs = clipped(
    below.filter((shift) => shift.person === insteadOf),
    override,
  )
  return theirs.map((shift) => ({ from: shift.from, until: shift.until, ...cover }))
}
