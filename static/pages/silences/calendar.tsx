import type { SilenceRecord } from '../../../src/api/noise/silence.ts'
import { href } from '../../app/route.ts'
import { Card } from '../../ui/card.tsx'
import { minute } from '../../ui/time.tsx'

const DAYS = 14
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })

interface Entry {
  readonly silence: SilenceRecord
  readonly from: Date
  readonly to: Date
}

/** The windows of recurring silences in the next two weeks, by day, in the reader's time zone. */
export function Calendar({ of }: { readonly of: readonly SilenceRecord[] }) {
  const entries = of
    .filter(({ schedule, state }) => schedule !== null && state !== 'ended')
    .flatMap((silence) =>
      silence.windows.map(({ from, to }): Entry => ({ silence, from: new Date(from), to: new Date(to) })),
    )
  if (entries.length === 0) return null
  return (
    <Card title="Recurring silences" aside={<p class="quiet">the next two weeks, in your time zone</p>}>
      <ol class="silence-calendar">
        {daysFromToday().map((day) => (
          <Day
            key={day.getTime()}
            of={day}
            entries={entries.filter(({ from }) => from.toDateString() === day.toDateString())}
          />
        ))}
      </ol>
    </Card>
  )
}

const Day = ({ of, entries }: { readonly of: Date; readonly entries: readonly Entry[] }) => (
  <li class={entries.length === 0 ? 'silence-day stack gap-1 tiny silence-free' : 'silence-day stack gap-1 tiny'}>
    <span class="quiet">{dayName.format(of)}</span>
    {entries
      .toSorted((one, other) => one.from.getTime() - other.from.getTime())
      .map(({ silence, from, to }) => (
        <a key={`${silence.id} ${from.getTime()}`} class="silence-window" href={href('silences', String(silence.id))}>
          {minute.format(from)}–{minute.format(to)} <span class="break">{silence.name}</span>
        </a>
      ))}
  </li>
)

function daysFromToday(): Date[] {
  const today = new Date()
  return Array.from({ length: DAYS }, (_, n) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + n))
}
