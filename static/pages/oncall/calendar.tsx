import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { OncallSchedule, OncallShift, OncallShiftList } from '../../../src/api/oncall/schedules.ts'
import { useResource } from '../../api/resource.ts'
import { minuteClock } from '../../live/stats.ts'
import { Pending } from '../../ui/empty.tsx'
import { DAY_MS, dayTexts, edgeText, fieldText, type LocalMs, localIn, mondayOf } from './local.ts'

const WEEKS = 4
const WEEK_MS = 7 * DAY_MS

interface CalendarProps {
  readonly of: OncallSchedule
  /** Keys of all people, in the order of the file: each has a colour. */
  readonly people: readonly string[]
  /** Changes when overrides did. */
  readonly version: number
  /** Called with the days that were chosen, by the clocks of the schedule; absent: they cannot be. */
  choose?(from: LocalMs, until: LocalMs): void
}

/** Four weeks of a schedule in its own zone, from the Monday of this week. */
export function Calendar({ of: { name, time_zone, gaps }, people, version, choose }: CalendarProps) {
  const local = localIn(time_zone)
  const monday = mondayOf(local(Date.now()))
  const query = new URLSearchParams({ from: fieldText(monday), until: fieldText(monday + WEEKS * WEEK_MS) })
  const list = useResource<OncallShiftList>(`/api/admin/oncall/schedules/${name}/shifts?${query}`, minuteClock)
  useEffect(() => void (version > 0 && list.load()), [version])
  const chosen = useSignal<readonly [first: LocalMs, last: LocalMs] | undefined>(undefined)
  const extend = (day: LocalMs) => {
    if (chosen.value !== undefined) chosen.value = [chosen.value[0], day]
  }
  const finish = () => {
    const { value } = chosen
    chosen.value = undefined
    if (value !== undefined) choose?.(Math.min(...value), Math.max(...value) + DAY_MS)
  }
  if (list.value === undefined) return <Pending of={list} lines={4} />
  const bars = list.value.shifts.map((shift) => ({
    shift,
    from: shift.from === null ? Number.NEGATIVE_INFINITY : local(Date.parse(shift.from)),
    until: shift.until === null ? Number.POSITIVE_INFINITY : local(Date.parse(shift.until)),
  }))
  return (
    <div class="oncall-weeks" onPointerUp={finish} onPointerLeave={() => (chosen.value = undefined)}>
      {Array.from({ length: WEEKS }, (_, nth) => monday + nth * WEEK_MS).map((week) => (
        <div key={week} class="oncall-week">
          {Array.from({ length: 7 }, (_, nth) => week + nth * DAY_MS).map((day) => (
            <Day
              key={day}
              at={day}
              isNow={local(Date.now()) - day >= 0 && local(Date.now()) - day < DAY_MS}
              isChosen={isBetween(day, chosen.value)}
              canChoose={choose !== undefined && local(Date.now()) < day + DAY_MS}
              begin={() => (chosen.value = [day, day])}
              extend={() => extend(day)}
            />
          ))}
          {bars
            .filter(({ from, until }) => from < week + WEEK_MS && until > week)
            .map(({ shift, from, until }) => (
              <Bar
                key={shift.from}
                of={shift}
                timeZone={time_zone}
                gap={gaps === 'allowed' ? 'oncall-free' : 'oncall-gap'}
                color={people.indexOf(shift.person ?? '')}
                from={Math.max(0, (from - week) / WEEK_MS)}
                until={Math.min(1, (until - week) / WEEK_MS)}
              />
            ))}
        </div>
      ))}
    </div>
  )
}

function isBetween(day: LocalMs, chosen: readonly [LocalMs, LocalMs] | undefined): boolean {
  return chosen !== undefined && day >= Math.min(...chosen) && day <= Math.max(...chosen)
}

interface DayProps {
  readonly at: LocalMs
  readonly isNow: boolean
  readonly isChosen: boolean
  readonly canChoose: boolean
  begin(): void
  extend(): void
}

/** A day that is dragged over; the form does the same by keys. */
const Day = ({ at, isNow, isChosen, canChoose, begin, extend }: DayProps) => (
  <span
    class={`oncall-day ${isNow ? 'oncall-today' : ''} ${isChosen ? 'oncall-chosen' : ''} ${canChoose ? 'oncall-open' : ''}`}
    onPointerDown={(event) => {
      if (!canChoose || event.button !== 0) return
      // A touch would keep all that follows at this day.
      if (event.currentTarget.hasPointerCapture(event.pointerId))
        event.currentTarget.releasePointerCapture(event.pointerId)
      event.preventDefault()
      begin()
    }}
    onPointerEnter={() => canChoose && extend()}
  >
    {dayTexts(at)[0]} <span class="oncall-month">{dayTexts(at)[1]}</span>
  </span>
)

interface BarProps {
  readonly of: OncallShift
  readonly timeZone: string
  /** Class of a stretch without a person. */
  readonly gap: string
  /** -1: nobody, or a person who has left the file. */
  readonly color: number
  /** Parts of the week. */
  readonly from: number
  readonly until: number
}

/** Degrees of hue between two people: the golden angle keeps neighbours apart. */
const HUE = 137.5

function Bar({ of, timeZone, gap, color, from, until }: BarProps) {
  const { person, name, because } = of
  const words = `${name ?? 'Nobody'}, ${edgeText(of.from, timeZone)} to ${edgeText(of.until, timeZone)}, ${because}`
  const kind = person === null ? gap : because.startsWith('override') ? 'oncall-override' : ''
  return (
    <span
      class={`oncall-bar ${kind} ${of.recorded ? 'oncall-past' : ''}`}
      style={{ left: `${from * 100}%`, width: `${(until - from) * 100}%`, '--hue': String((color * HUE + 250) % 360) }}
      role="img"
      aria-label={words}
      title={words}
    >
      <span class="cut" aria-hidden="true">
        {name ?? 'nobody'}
      </span>
    </span>
  )
}
