import { z } from 'zod'
import { localOf } from '../../policy/oncall/local-time.ts'
import {
  DAY_MS,
  type Edition,
  type Every,
  HOUR_MS,
  type LocalMs,
  type OncallLayer,
  type OncallSchedules,
  type OnDuty,
  type Override,
  WEEK_MS,
} from '../../policy/oncall/settings.ts'
import { oneOf, text } from '../../settings/fields.ts'
import { isTimeZone } from './routes.ts'

const MAX = { schedules: 200, layers: 10, editions: 50, members: 100, windows: 21, overrides: 500 }

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/
const NOT_A_DATE = 'must be a date such as 2026-01-05, of the years 2000 to 2099'
const NOT_A_DATE_TIME = 'must be a date, or a date and time such as 2026-01-05T09:00, in the time zone of the schedule'

const localTime = (ctx: z.RefinementCtx, written: string, message = NOT_A_DATE_TIME): LocalMs =>
  localOf(written) ?? refused(ctx, message)

const dateTime = () =>
  z
    .string({ error: NOT_A_DATE_TIME })
    .trim()
    .transform((written, ctx) => localTime(ctx, written))
const date = z
  .string({ error: NOT_A_DATE })
  .trim()
  .transform((written, ctx) => (/[T ]/.test(written) ? refused(ctx, NOT_A_DATE) : localTime(ctx, written, NOT_A_DATE)))

const EVERY = /^([1-9]\d{0,3}) (hour|day|week|month)s?$/
const MOST = { hour: 8_784, day: 366, week: 52, month: 12 } as const
const NOT_EVERY = 'must be hours, days, weeks or months such as "12 hours" or "1 week", at most 12 months'

const every = z
  .string({ error: NOT_EVERY })
  .trim()
  .transform((written, ctx): Every => {
    const [, count, unit] = EVERY.exec(written) ?? []
    const known = (Object.keys(MOST) as Every['unit'][]).find((each) => each === unit)
    if (known === undefined || Number(count) > MOST[known]) return refused(ctx, NOT_EVERY)
    return { count: Number(count), unit: known }
  })

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const DAY = `(?:${DAYS.join('|')})`
const HOURS = '(?:[01]\\d|2[0-3]):[0-5]\\d'
/** `Mon-Fri`, `Sat,Sun 09:00-17:00`: the days are those of the beginning. */
const BY_DAY = new RegExp(`^(${DAY}(?:-${DAY})?(?:,${DAY}(?:-${DAY})?)*)(?: (${HOURS})-(${HOURS}|24:00))?$`)
/** `Fri 18:00 - Mon 08:00`. */
const OVER_DAYS = new RegExp(`^(${DAY}) (${HOURS}) ?- ?(${DAY}) (${HOURS})$`)
const NOT_ON = 'must be like "Mon-Fri", "Sat,Sun 09:00-17:00", "Mon-Thu 20:00-08:00" or "Fri 18:00 - Mon 08:00"'

/** Undefined: the text is no window. */
function onDutyOf(written: string): OnDuty[] | undefined {
  const [, day, from, lastDay, until] = OVER_DAYS.exec(written) ?? []
  if (day !== undefined && lastDay !== undefined)
    return [within(dayMs(day) + timeMs(from), dayMs(lastDay) + timeMs(until), WEEK_MS)]
  const [, days, start = '00:00', end = '24:00'] = BY_DAY.exec(written) ?? []
  return days
    ?.split(',')
    .flatMap(daysOf)
    .map((ms) => within(ms + timeMs(start), ms + timeMs(end), DAY_MS))
}

/** An end that is not after the beginning is that of the next day, or week. */
const within = (from: number, until: number, period: number): OnDuty => ({
  from,
  until: until > from ? until : until + period,
})

function daysOf(written: string): number[] {
  const [first = '', last = first] = written.split('-')
  const [from, count] = [DAYS.indexOf(first), (DAYS.indexOf(last) - DAYS.indexOf(first) + 7) % 7]
  return Array.from({ length: count + 1 }, (_, at) => ((from + at) % 7) * DAY_MS)
}

const dayMs = (day: string) => DAYS.indexOf(day) * DAY_MS
function timeMs(written = '00:00'): number {
  const [hours = 0, minutes = 0] = written.split(':').map(Number)
  return hours * HOUR_MS + minutes * 60_000
}

const NOT_MEMBERS = `must be a list of 1 to ${MAX.members} people, or a map of dates to such lists`
const listOfMembers = z
  .array(z.string({ error: NOT_MEMBERS }).trim(), { error: NOT_MEMBERS })
  .min(1, { error: NOT_MEMBERS })
  .max(MAX.members, { error: NOT_MEMBERS })
const members = z.union([listOfMembers, z.record(z.string(), listOfMembers)], { error: NOT_MEMBERS })

/** Returns the editions of a layer by date. A list is one of the start. */
function editionsOf(given: z.output<typeof members>, start: LocalMs, ctx: z.RefinementCtx): Edition[] {
  const day = start - (start % DAY_MS)
  if (Array.isArray(given)) return [{ date: day, members: given }]
  const dayOf = (written: string) => (/[T ]/.test(written) ? undefined : localOf(written))
  const wrong = Object.keys(given).find((written) => dayOf(written) === undefined)
  if (wrong !== undefined) return refused(ctx, NOT_A_DATE, ['members', wrong])
  const editions = Object.entries(given).map(([written, members]) => ({ date: dayOf(written) ?? start, members }))
  const [first, ...others] = editions.sort((a, b) => a.date - b.date)
  if (first?.date !== day || others.length >= MAX.editions)
    return refused(ctx, `must be 1 to ${MAX.editions} lists, of which the first has the date of start`, ['members'])
  return editions
}

const layer = z
  .object({
    name: text(),
    start: date,
    at: text('00:00').refine((time) => TIME.test(time), { error: 'must be a time of day such as "09:00"' }),
    until: dateTime().optional(),
    every,
    on: z
      .array(z.string({ error: NOT_ON }).trim(), { error: `must be a list; each ${NOT_ON}` })
      .max(MAX.windows)
      .default([]),
    turns: oneOf(['calendar', 'on_duty']),
    members,
  })
  .transform(({ start: day, at, until, on, members, ...rest }, ctx): OncallLayer => {
    const start = day + timeMs(at)
    if (until !== undefined && until <= start) refused(ctx, 'must be after the start', ['until'])
    return {
      ...rest,
      where: '',
      start,
      ...(until !== undefined && { until }),
      on: on.flatMap((each, nth) => onDutyOf(each) ?? refused(ctx, NOT_ON, ['on', nth])),
      editions: editionsOf(members, start, ctx),
    }
  })

const override = z
  .object({
    from: dateTime(),
    until: dateTime(),
    person: z.string({ error: 'must be a key of people, or nobody' }).trim(),
    instead_of: text(),
    by: text(),
    reason: text(),
  })
  .transform(({ instead_of, ...rest }, ctx): Override => {
    if (rest.until <= rest.from) refused(ctx, 'must be after from', ['until'])
    return { ...rest, id: '', where: '', ...(instead_of !== '' && { insteadOf: instead_of }) }
  })

const schedule = z
  .object({
    time_zone: text('UTC').refine(isTimeZone, { error: 'is not a time zone such as Europe/Berlin' }),
    gaps: oneOf(['forbidden', 'allowed']),
    layers: z.array(layer, { error: 'must be a list' }).min(1).max(MAX.layers),
    overrides: z.array(override, { error: 'must be a list' }).max(MAX.overrides).default([]),
  })
  .transform(({ time_zone, layers, overrides, ...rest }) => ({
    ...rest,
    where: '',
    timeZone: time_zone,
    layers: layers.map((each, at) => ({ ...each, name: each.name || `${at + 1}` })),
    overrides: overrides.map((each, at) => ({ ...each, id: `${at + 1}` })),
  }))

const NAME = /^[a-z0-9_-]{1,40}$/

/** `oncall.schedules`: who is on call, by the name of the schedule. Places in the file are filled in by `completed`. */
export const oncallSchedules = z
  .record(
    z.string().regex(NAME, { error: 'must be named with 1 to 40 lower-case letters, digits, _ or -' }),
    schedule,
    {
      error: 'must be a map of names to schedules',
    },
  )
  .default({})
  .refine((found) => Object.keys(found).length <= MAX.schedules, {
    error: `must have at most ${MAX.schedules} schedules`,
  })
  .transform((found): OncallSchedules => new Map(Object.entries(found)))

/** Reports an issue at a path below the value. */
function refused(ctx: z.RefinementCtx, message: string, path: (string | number)[] = []): never {
  ctx.addIssue({ code: 'custom', path, message })
  return z.NEVER
}
