import { Temporal } from 'temporal-polyfill'
import { DAY_MS, HOUR_MS, type LocalMs } from './settings.ts'

/** A stretch of local times that clocks show once, at one offset. */
interface Stretch {
  readonly from: LocalMs
  readonly until: LocalMs
  readonly offsetMs: number
}

/** The clocks of a time zone. Remembers stretches without a change, because the library takes 100 us for a local time. */
export class ZoneClock {
  readonly #timeZone: string
  readonly #stretches: Stretch[] = []
  /** Every instant that was asked for, by its local time. */
  readonly edges = new Map<LocalMs, number>()

  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  /**
   * Returns the first instant at which the clocks have reached a local time: in a skipped hour its end, in a repeated
   * hour the first pass. So edges in local order stay in order.
   */
  instantOf(local: LocalMs): number {
    const known = this.edges.get(local)
    if (known !== undefined) return known
    const stretch = this.#stretches.find(({ from, until }) => from <= local && local < until)
    const instant = stretch === undefined ? this.#ask(local) : local - stretch.offsetMs
    this.edges.set(local, instant)
    return instant
  }

  #ask(local: LocalMs): number {
    const wanted = plain(local)
    const zoned = wanted.toZonedDateTime(this.#timeZone, { disambiguation: 'earlier' })
    if (!zoned.toPlainDateTime().equals(wanted))
      return zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? zoned.epochMilliseconds
    this.#stretches.push(stretchOf(zoned))
    return zoned.epochMilliseconds
  }
}

function plain(local: LocalMs): Temporal.PlainDateTime {
  const date = new Date(local)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  return new Temporal.PlainDateTime(year, month, day, date.getUTCHours(), date.getUTCMinutes())
}

/** Local times that the change before has repeated belong to the stretch before. */
function stretchOf(zoned: Temporal.ZonedDateTime): Stretch {
  const previous = zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  const next = zoned.getTimeZoneTransition('next')
  const offsetMs = offsetOf(zoned)
  return {
    from:
      previous === null
        ? Number.NEGATIVE_INFINITY
        : previous.epochMilliseconds + Math.max(offsetMs, offsetOf(previous.subtract({ milliseconds: 1 }))),
    until: next === null ? Number.POSITIVE_INFINITY : next.epochMilliseconds + offsetMs,
    offsetMs,
  }
}

const offsetOf = (zoned: Temporal.ZonedDateTime) => zoned.offsetNanoseconds / 1_000_000

/** Returns the local time that `Intl` shows at an instant, in whole minutes. */
export type Shown = (instant: number) => LocalMs

export function createShown(timeZone: string): Shown {
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })
  return (instant) => Date.parse(`${format.format(instant).replace(' ', 'T')}Z`)
}

/** How far before an edge no clock may have reached it: all changes of offsets of this century lie between. */
const LOOK_BACK_MS = [60_000, HOUR_MS / 2, HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, DAY_MS]
const [FAR_MS] = [3 * HOUR_MS]

/** Returns the edges that `Intl` contradicts: the library samples offsets, and misses two changes within 60 days. */
export function contradicted(edges: ReadonlyMap<LocalMs, number>, shown: Shown): [LocalMs, number][] {
  return [...edges].filter(([local, instant]) => {
    const here = shown(instant)
    // Without a change in the hours before, the time is reached once.
    if (here === local && shown(instant - FAR_MS) === local - FAR_MS) return false
    return here < local || LOOK_BACK_MS.some((ms) => shown(instant - ms) >= local)
  })
}
