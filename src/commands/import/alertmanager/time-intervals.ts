import { list, type Path } from '../../../config/config-error.ts'
import { isObject, type JsonObject } from '../../../text/json-object.ts'
import type { TakeNote } from '../written.ts'

/** A window of a schedule, as the file has it. */
interface Window {
  readonly cron?: string
  readonly rrule?: string
  readonly start?: string
  readonly for: string
  readonly time_zone: string
}

/** A named time interval of Alertmanager. */
export interface Interval {
  /** Times at which it is active. */
  readonly windows: readonly Window[]
  /** Times at which it is not; undefined: it goes by months, days of the month or several time zones, or a part is unknown. */
  readonly others: readonly Window[] | undefined
}

const DAY = 24 * 60
const WEEK = 7 * DAY
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const CODES = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const LAST_DAY = 31
/** A recurrence begins in the past, so that it is active from the first start on. */
const BEGINS = '2026-01-01'

/** Part of a day, in minutes from midnight. */
interface Span {
  readonly from: number
  readonly to: number
}

interface Part {
  readonly spans: readonly Span[]
  /** 0 is Sunday; empty: all. */
  readonly weekdays: readonly number[]
  readonly months: readonly number[]
  /** Negative ones count from the end of the month. */
  readonly monthDays: readonly number[]
  readonly zone: string
}

/** Returns the named intervals of a file, of both of its lists. Notes what is not taken over. */
export function intervalsOf(file: JsonObject, note: TakeNote): Map<string, Interval> {
  const found = new Map<string, Interval>()
  for (const key of ['time_intervals', 'mute_time_intervals'])
    for (const [nth, raw] of list(file[key]).entries()) {
      if (!isObject(raw) || typeof raw.name !== 'string') continue
      const given = list(raw.time_intervals).filter(isObject)
      const parts = given.flatMap((each, at) => partOf(each, [key, nth, 'time_intervals', at], note) ?? [])
      // The rest of the week is not known where a part cannot be read: nothing may be held in it.
      const others = parts.length < given.length ? undefined : complementOf(parts)
      if (parts.length > 0) found.set(raw.name, { windows: parts.flatMap(windowsOf), others })
    }
  return found
}

/** Undefined: nothing of it is taken over. */
function partOf(raw: JsonObject, path: Path, note: TakeNote): Part | undefined {
  if (raw.years !== undefined)
    note(
      [...path, 'years'],
      'is not taken over: the windows recur in all years; take them out of the file when they are over',
    )
  const spans = list(raw.times).flatMap((time) => (isObject(time) ? (spanOf(time) ?? []) : []))
  const weekdays = rangesOf(raw.weekdays, (word) => DAYS.indexOf(word.toLowerCase()), 7)
  const months = rangesOf(raw.months, monthOf, 12)
  const monthDays = rangesOf(raw.days_of_month, Number, LAST_DAY)
  if (spans.length < list(raw.times).length || !weekdays || !months || !monthDays) {
    note(path, 'is not taken over: a range in it cannot be read')
    return undefined
  }
  return {
    spans: spans.length === 0 ? [{ from: 0, to: DAY }] : spans,
    ...{ weekdays, months, monthDays },
    zone: typeof raw.location === 'string' ? raw.location : 'UTC',
  }
}

function spanOf(time: JsonObject): Span | undefined {
  const [from, to] = [time.start_time, time.end_time].map((text) => {
    // YAML 1.1 reads 09:00 as a text, and 24:00 too.
    const [, hour = '', minute = ''] = /^(\d{1,2}):(\d\d)$/.exec(String(text)) ?? []
    return hour === '' ? Number.NaN : Number(hour) * 60 + Number(minute)
  }) as [number, number]
  return from < to && to <= DAY ? { from, to } : undefined
}

const monthOf = (word: string) => MONTHS.indexOf(word.toLowerCase()) + 1 || Number(word)

/** Returns the values of ranges such as `1:5`, in order; undefined when one cannot be read. */
function rangesOf(given: unknown, read: (word: string) => number, most: number): number[] | undefined {
  const values = new Set<number>()
  for (const each of list(given)) {
    const [first = Number.NaN, last = first] = String(each)
      .split(':')
      .map((word) => read(word.trim()))
    const isRange =
      Number.isInteger(first) && Number.isInteger(last) && Math.abs(first) <= most && Math.abs(last) <= most
    if (!isRange || (first < 0 && last > 0)) return undefined
    // From a day of the month to the last ones: the end of the month decides, so all that follow count.
    const end = first > 0 && last < 0 ? most + 1 + last : last
    if (end < first) return undefined
    for (let value = first; value <= end; value++) values.add(value)
  }
  if (values.has(-1) && values.has(0)) return undefined
  return [...values]
}

function windowsOf({ spans, weekdays, months, monthDays, zone }: Part): Window[] {
  return spans.map(({ from, to }) => {
    const length = { for: `${to - from}m`, time_zone: zone }
    const clock = `${two(Math.floor(from / 60))}:${two(from % 60)}`
    if (monthDays.length === 0) {
      const days = weekdays.length === 0 ? '*' : weekdays.join(',')
      return { cron: `${from % 60} ${Math.floor(from / 60)} * ${months.join(',') || '*'} ${days}`, ...length }
    }
    const rrule = [
      'FREQ=DAILY',
      ...(months.length > 0 ? [`BYMONTH=${months}`] : []),
      `BYMONTHDAY=${monthDays}`,
      ...(weekdays.length > 0 ? [`BYDAY=${weekdays.map((day) => CODES[day])}`] : []),
    ]
    return { rrule: rrule.join(';'), start: `${BEGINS}T${clock}`, ...length }
  })
}

const two = (value: number) => String(value).padStart(2, '0')

/** Returns the windows of the rest of the week; undefined when there is none, or weeks differ. */
function complementOf(parts: readonly Part[]): Window[] | undefined {
  const [first] = parts
  if (
    first === undefined ||
    parts.some(({ months, monthDays, zone }) => months.length + monthDays.length > 0 || zone !== first.zone)
  )
    return undefined
  const active = new Uint8Array(WEEK)
  for (const { spans, weekdays } of parts)
    for (const day of weekdays.length === 0 ? DAYS.keys() : weekdays)
      for (const { from, to } of spans) active.fill(1, day * DAY + from, day * DAY + to)
  const begin = active.indexOf(1)
  if (begin < 0 || !active.includes(0)) return undefined
  const windows: Window[] = []
  for (let at = begin; at < begin + WEEK; at++) {
    if (active[at % WEEK] === 1 || active[(at + WEEK - 1) % WEEK] !== 1) continue
    let minutes = 0
    while (active[(at + minutes) % WEEK] !== 1) minutes++
    const minute = at % WEEK
    const cron = `${minute % 60} ${Math.floor((minute % DAY) / 60)} * * ${Math.floor(minute / DAY)}`
    windows.push({ cron, for: `${minutes}m`, time_zone: first.zone })
  }
  return windows
}
