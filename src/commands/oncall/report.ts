import { createShown, ZoneClock } from '../../policy/oncall/edge.ts'
import { localText } from '../../policy/oncall/local-time.ts'
import { compileSchedule, onCallAt, reasonOf, type Shift, shifts, uncovered } from '../../policy/oncall/schedule.ts'
import type { LocalMs, OncallSchedule, OncallSchedules } from '../../policy/oncall/settings.ts'
import { isoTime } from '../../text/iso-time.ts'
import { alignedLines } from '../noise/columns.ts'

/** An instant, or the local time of each schedule. */
export type When = { readonly instant: number } | { readonly local: LocalMs }

/** How far gaps are looked for, and the shifts of one person. */
export const LOOKED_MS = 30 * 86_400_000

export interface Question {
  readonly people: ReadonlyMap<string, { readonly name: string }>
  readonly when: When
  readonly forMs: number | undefined
  readonly person: string | undefined
}

/** A shift or a gap as JSON. Times are of ISO 8601 in UTC; null: without an edge that is known. */
export interface ShownShift {
  readonly from: string | null
  readonly until: string | null
  /** Both null: nobody is on call. */
  readonly person: string | null
  readonly name: string | null
  /** Layer or override, with its number, author and reason. */
  readonly because: string
  /** The edges in the zone of the schedule. */
  readonly local: readonly [from: string, until: string]
}

export interface ShownSchedule {
  readonly schedule: string
  readonly time_zone: string
  readonly shifts: readonly ShownShift[]
  /** Local edges of the first gap of 30 days; null: there is none. */
  readonly first_gap: readonly [from: string, until: string] | null
}

/** Returns the shift at the time and the next one, or all shifts that were asked for, of each schedule. */
export function reportOf(schedules: OncallSchedules, question: Question): ShownSchedule[] {
  return Array.from(schedules, ([name, schedule]) => {
    const from = instantIn(schedule.timeZone, question.when)
    const listedMs = question.forMs ?? LOOKED_MS
    const compiled = compileSchedule(schedule, { from, until: from + Math.max(listedMs, LOOKED_MS) })
    const texts = localTexts(schedule.timeZone)
    const asked = shifts(compiled, from, from + listedMs).filter(
      ({ person }) => question.person === undefined || question.person === person,
    )
    const isBrief = question.forMs === undefined && question.person === undefined
    const [gap] = uncovered(compileSchedule(schedule, { from, until: from + LOOKED_MS }))
    return {
      schedule: name,
      time_zone: schedule.timeZone,
      shifts: (isBrief ? nowAndNext(schedule, onCallAt(compiled, from)) : asked).map((shift) => ({
        from: Number.isFinite(shift.from) ? isoTime(shift.from) : null,
        until: Number.isFinite(shift.until) ? isoTime(shift.until) : null,
        person: shift.person ?? null,
        name: question.people.get(shift.person ?? '')?.name ?? null,
        because: reasonOf(shift, schedule),
        local: texts(shift),
      })),
      first_gap: gap === undefined ? null : texts(gap),
    }
  })
}

/** The shift at the time, and the next one. */
function nowAndNext(schedule: OncallSchedule, now: Shift): Shift[] {
  if (!Number.isFinite(now.until)) return [now]
  const next = { from: now.until, until: now.until + 1 }
  return [now, ...compileSchedule(schedule, next).shifts]
}

export const instantIn = (timeZone: string, when: When): number =>
  'instant' in when ? when.instant : new ZoneClock(timeZone).instantOf(when.local)

/** Returns the function that shows edges in a time zone. */
export function localTexts(timeZone: string) {
  const shown = createShown(timeZone)
  const text = (edge: number) => (Number.isFinite(edge) ? localText(shown(edge)) : 'always')
  return ({ from, until }: { readonly from: number; readonly until: number }) => [text(from), text(until)] as const
}

export function reportLines(report: readonly ShownSchedule[]): string[] {
  if (report.length === 0) return ['no schedule is configured: oncall.schedules']
  return report.flatMap(({ schedule, time_zone, shifts, first_gap }) => [
    `${schedule} (${time_zone})`,
    ...alignedLines(shifts.map(({ local, person, name, because }) => ['', ...local, nameOf(person, name), because])),
    first_gap === null ? '  no gap in 30 days' : `  first gap in 30 days: ${first_gap.join(' - ')}`,
  ])
}

const nameOf = (person: string | null, name: string | null) =>
  person === null ? 'nobody' : name === null || name === person ? person : `${name} (${person})`
