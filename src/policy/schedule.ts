import { createRequire } from 'node:module'
import { Cron } from 'croner'
import type { RRuleTemporal } from 'rrule-temporal'

/** One entry of a schedule: times at which a window begins, and how long it lasts. */
interface WindowSettings {
  /** Five fields. Exactly one of `cron` and `rrule` is set. */
  readonly cron?: string
  /** Recurrence rule of RFC 5545, of days or longer; `start` is its first time. */
  readonly rrule?: string
  /** Local date and time `2026-01-06T02:00`. */
  readonly start?: string
  /** Elapsed time: a window that daylight saving time cuts or stretches lasts as long as any other. */
  readonly forMs: number
  /** IANA name. */
  readonly timeZone: string
}

/** Windows of a schedule, which may overlap. */
export type ScheduleSettings = readonly WindowSettings[]

/** Returns the first start after a time, both in epoch milliseconds; infinity when there is none. */
type NextStart = (after: number) => number

/** State of a schedule, and the time until which it certainly stays so. */
interface ScheduleState {
  readonly active: boolean
  /** Epoch milliseconds; infinity: for ever. */
  readonly until: number
}

interface Window {
  readonly nextStart: NextStart
  readonly forMs: number
}

/** Compiles a schedule. The function it returns takes some tenths of a millisecond: ask at the edges only. */
export function compileSchedule(settings: ScheduleSettings): (now: number) => ScheduleState {
  const windows = settings.map(compileWindow)
  return (now) => {
    const states = windows.map((window) => stateOf(window, now))
    return {
      active: states.some(({ active }) => active),
      until: Math.min(...states.map(({ until }) => until)),
    }
  }
}

/** Throws an error whose message follows the name of the key. */
export function compileWindow({ cron, rrule, start, timeZone, forMs }: WindowSettings): Window {
  if (rrule !== undefined) return { nextStart: createRecurrence({ rrule, start: start ?? '', timeZone }), forMs }
  return { nextStart: cronStarts(cron ?? '', timeZone), forMs }
}

/** A window is active from its start until just before its end. */
function stateOf({ nextStart, forMs }: Window, now: number): ScheduleState {
  const start = nextStart(now - forMs)
  return start <= now ? { active: true, until: start + forMs } : { active: false, until: start }
}

/** A start that daylight saving time skips comes at the end of the gap; one that occurs twice counts once. */
export function cronStarts(cron: string, timezone: string): NextStart {
  const job = new Cron(cron, { timezone, mode: '5-part', paused: true })
  return (after) => job.nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY
}

/** Schedules by name, evaluated again when one of them may have changed. */
export class Schedules {
  readonly #schedules: ReadonlyMap<string, (now: number) => ScheduleState>
  #active: ReadonlySet<string> = new Set()
  #evaluatedAt = Number.POSITIVE_INFINITY
  #until = Number.NEGATIVE_INFINITY

  /** `compile`: tests count its calls. */
  constructor(settings: ReadonlyMap<string, ScheduleSettings>, { compile = compileSchedule } = {}) {
    this.#schedules = new Map([...settings].map(([name, schedule]) => [name, compile(schedule)]))
  }

  /** Returns the names of those active now. Costs two comparisons between edges; a clock that was set back is an edge. */
  active(now: number): ReadonlySet<string> {
    if (now < this.#until && now >= this.#evaluatedAt) return this.#active
    const states = [...this.#schedules].map(([name, stateAt]) => ({ name, ...stateAt(now) }))
    this.#active = new Set(states.flatMap(({ name, active }) => (active ? [name] : [])))
    this.#until = Math.min(...states.map(({ until }) => until))
    this.#evaluatedAt = now
    return this.#active
  }
}

interface RecurrenceSettings {
  readonly rrule: string
  /** Local date and time `2026-01-06T02:00`. */
  readonly start: string
  readonly timeZone: string
}

const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/
/** Frequencies that cron cannot space, such as every second week. For shorter ones there is cron. */
const FREQUENCIES = /(?:^|;)FREQ=(?:YEARLY|MONTHLY|WEEKLY|DAILY)(?:;|$)/
const PARTS = /^[A-Z]+=[A-Z0-9,+-]+(?:;[A-Z]+=[A-Z0-9,+-]+)*$/

/**
 * Returns a function that finds the first start after a time, both in epoch milliseconds; infinity when there is none.
 * A start that daylight saving time skips does not occur. Throws an error whose message follows the name of a key.
 */
function createRecurrence({ rrule, start, timeZone }: RecurrenceSettings): (after: number) => number {
  const [, year, month, day, hour, minute] = LOCAL_TIME.exec(start) ?? []
  if (year === undefined) throw new Error('needs a "start" such as 2026-01-06T02:00')
  if (!PARTS.test(rrule) || !FREQUENCIES.test(rrule))
    throw new Error('must be a rule such as FREQ=WEEKLY;INTERVAL=2;BYDAY=TU, of days, weeks, months or years')
  const dtstart = `DTSTART;TZID=${timeZone}:${year}${month}${day}T${hour}${minute}00`
  const rule = open(`${dtstart}\nRRULE:${rrule}`)
  return (after) => rule.next(new Date(after))?.epochMilliseconds ?? Number.POSITIVE_INFINITY
}

const require = createRequire(import.meta.url)

/** Loads the library, which takes ten milliseconds, only when a schedule needs it; configuration is read synchronously. */
function open(rruleString: string): RRuleTemporal {
  const library: typeof import('rrule-temporal') = require('rrule-temporal')
  return new library.RRuleTemporal({ rruleString })
}
