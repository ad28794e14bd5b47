import type { SilencePage, SilenceRecord } from '../../../src/api/noise/silence.ts'
import { useResource } from '../../api/resource.ts'
import { href, route } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { minute } from '../../ui/time.tsx'
import { Detail } from './detail.tsx'
import { Ends } from './ends.tsx'
import { Form } from './form.tsx'
import { Timeline } from './timeline.tsx'

const SHOWN = 500

/** The silences, one of them, or the form for a new one. */
export function SilencesPage() {
  const { rest } = route.value
  if (rest === 'new') return <Form key={route.value.query.toString()} given={route.value.query} />
  return rest === '' ? <Silences /> : <Detail key={rest} id={rest} />
}

function Silences() {
  const silences = useResource<SilencePage>(`/api/admin/silences?limit=${SHOWN}`, refreshClock)
  const { value } = silences
  const all = value?.silences ?? []
  const active = all.filter(({ state }) => state === 'active')
  const number = active.length === 0 ? 'none' : count(active.length)
  return (
    <Page
      title="Silences"
      note={value && `${number} active, nothing is lost: what still fires is sent at the end`}
      aside={<NewSilence />}
    >
      {value === undefined ? (
        <Pending of={silences} lines={6} />
      ) : all.length === 0 ? (
        <section class="card">
          <Empty
            icon="silences"
            title="No silence yet"
            text="A silence holds messages and pages of the incidents that match, for a maintenance or until a fix is out."
          />
        </section>
      ) : (
        <>
          <Timeline of={all} />
          <Table title="Active" of={active} />
          <Table title="Planned" of={all.filter(({ state }) => state === 'scheduled')} />
          <Calendar of={all} />
          <Table title="Ended" of={all.filter(({ state }) => state === 'ended')} />
        </>
      )}
    </Page>
  )
}

const NewSilence = () => (
  <div class="actions">
    <a class="button button-main" href={href('silences', 'new')}>
      New silence
    </a>
  </div>
)

function Table({ title, of }: { readonly title: string; readonly of: readonly SilenceRecord[] }) {
  if (of.length === 0) return null
  return (
    <Card title={title}>
      <ul>
        {of.map((silence) => (
          <Row key={silence.id} of={silence} />
        ))}
      </ul>
    </Card>
  )
}

const Row = ({ of }: { readonly of: SilenceRecord }) => (
  <li class="lined">
    <a class="silence-row" href={href('silences', String(of.id))}>
      <span class="stack gap-1">
        <strong class="break">{of.name}</strong>
        <span class="mono quiet break">{of.text}</span>
      </span>
      <span class="silence-state row">
        <State of={of.state} />
        {of.schedule !== null && (
          <span class="quiet">
            <Icon name="again" size={12} /> recurring
          </span>
        )}
      </span>
      <span class="silence-times">
        <Ends of={of} />
      </span>
      <span class="silence-held">
        {of.held_total === 0 ? 'held nothing' : `held ${plural(of.held_total, 'incident')}`}
      </span>
      <span class="quiet silence-owner break">{of.owner}</span>
    </a>
  </li>
)

const DAYS = 14
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })

interface Entry {
  readonly silence: SilenceRecord
  readonly from: Date
  readonly to: Date
}

/** The windows of recurring silences in the next two weeks, by day, in the reader's time zone. */
function Calendar({ of }: { readonly of: readonly SilenceRecord[] }) {
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
