import { useSignal } from '@preact/signals'
import type {
  OncallOverride,
  OncallOverrideList,
  OncallOverview,
  OncallSchedule,
  OncallShift,
} from '../../../src/api/oncall/schedules.ts'
import { remove } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { useActions } from '../../app/actions.ts'
import { personName } from '../../app/person.tsx'
import { minuteClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Calendar } from './calendar.tsx'
import { type Draft, OverrideForm } from './form.tsx'
import { edgeText } from './local.ts'
import { OpenRuns } from './runs.tsx'

/** Who is on call by each schedule, overrides, and the people. */
export function OncallPage() {
  const overview = useResource<OncallOverview>('/api/admin/oncall', minuteClock)
  const { value } = overview
  return (
    <Page title="On-call" note={value && `time zone data ${value.zone_data}`}>
      {value === undefined ? (
        <Pending of={overview} lines={6} />
      ) : value.schedules.length + value.people.length === 0 ? (
        <section class="card">
          <Empty
            icon="oncall"
            title="No schedule"
            text="Schedules of the configuration (oncall.schedules) say who is on call."
          />
        </section>
      ) : (
        <Schedules of={value} reload={() => void overview.load()} />
      )}
    </Page>
  )
}

function Schedules({ of, reload }: { readonly of: OncallOverview; readonly reload: () => void }) {
  const overrides = useResource<OncallOverrideList>('/api/admin/oncall/overrides', minuteClock)
  const draft = useSignal<Draft | undefined>(undefined)
  const version = useSignal(0)
  const changed = () => {
    version.value++
    reload()
    void overrides.load()
  }
  const people = of.people.map(({ key }) => key)
  return (
    <>
      <OpenRuns />
      {of.schedules.map((schedule) => (
        <Card
          key={schedule.name}
          title={schedule.name}
          label={`Schedule ${schedule.name}`}
          aside={
            <div class="actions">
              <span class="quiet">{schedule.time_zone}</span>
              {schedule.feed && <a href={schedule.feed}>Calendar file</a>}
              {of.api_overrides && (
                <Button onPress={() => (draft.value = { schedule: schedule.name })}>New override</Button>
              )}
            </div>
          }
        >
          <Now of={schedule} />
          <Calendar
            of={schedule}
            people={people}
            version={version.value}
            {...(of.api_overrides && {
              choose: (from: number, until: number) => (draft.value = { schedule: schedule.name, from, until }),
            })}
          />
        </Card>
      ))}
      <Overrides of={overrides.value?.overrides ?? []} overview={of} changed={changed} />
      <People of={of} />
      {draft.value && (
        <OverrideForm
          of={of}
          draft={draft.value}
          close={() => (draft.value = undefined)}
          made={() => {
            draft.value = undefined
            changed()
          }}
        />
      )}
    </>
  )
}

function Now({ of: { now, next, first_gap, time_zone, gaps } }: { readonly of: OncallSchedule }) {
  return (
    <p class="oncall-now">
      <strong>{nameOf(now)}</strong> until {edgeText(now.until, time_zone)}
      {next && `, then ${nameOf(next)}`}
      {first_gap && (
        <span class={gaps === 'forbidden' ? 'error-text' : 'quiet'}>
          First gap: {edgeText(first_gap.from, time_zone)} to {edgeText(first_gap.until, time_zone)}
        </span>
      )}
    </p>
  )
}

export const nameOf = ({ name }: Pick<OncallShift, 'name'>) => name ?? 'Nobody'

interface OverridesProps {
  readonly of: readonly OncallOverride[]
  readonly overview: OncallOverview
  changed(): void
}

function Overrides({ of, overview, changed }: OverridesProps) {
  const actions = useActions(changed)
  if (of.length === 0) return null
  const zoneOf = (schedule: string) => overview.schedules.find(({ name }) => name === schedule)?.time_zone ?? 'UTC'
  const nameOfKey = (key: string) => overview.people.find((person) => person.key === key)?.name ?? key
  const personOf = ({ name, instead_of }: OncallOverride) => (
    <>
      {name ?? 'nobody'}
      {instead_of && <div class="quiet">instead of {nameOfKey(instead_of)}</div>}
    </>
  )
  const end = (id: number) =>
    actions.run(`end ${id}`, async () => {
      const query = personName() === '' ? '' : `?${new URLSearchParams({ by: personName() })}`
      await remove<OncallOverride>(`/api/admin/oncall/overrides/${id}${query}`)
      return `Override ${id} has ended`
    })
  const endButton = ({ id }: OncallOverride) =>
    overview.api_overrides && (
      <ConfirmButton
        ask={`End override ${id}?`}
        action="End it"
        text="The plan of the schedule holds again at once."
        busy={actions.busy(`end ${id}`)}
        confirm={() => end(id)}
      >
        End
      </ConfirmButton>
    )
  return (
    <Card title="Overrides">
      <Table
        rows={of}
        id={({ id }) => id}
        columns={[
          ['Schedule', ({ schedule }) => schedule],
          ['Person', personOf],
          ['From', ({ from, schedule }) => edgeText(from, zoneOf(schedule))],
          ['Until', ({ until, schedule }) => edgeText(until, zoneOf(schedule))],
          ['Reason', ({ reason }) => reason, { class: 'break' }],
          ['Made by', ({ by }) => by, { class: 'break' }],
          ['End', endButton, { hidden: true }],
        ]}
      />
    </Card>
  )
}

const People = ({ of: { people } }: { readonly of: OncallOverview }) => (
  <Card title="People">
    <Table
      rows={people}
      id={({ key }) => key}
      columns={[
        ['Name', ({ name }) => name],
        ['Key', ({ key }) => key, { class: 'mono' }],
        ['Ways', ({ ways }) => ways.map(({ way }) => way).join(', ') || '–'],
        ['Calendar', ({ feed }) => (feed === null ? '–' : <a href={feed}>Calendar file</a>)],
      ]}
    />
  </Card>
)
