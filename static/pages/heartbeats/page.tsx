import { useSignal } from '@preact/signals'
import type { HeartbeatList, HeartbeatRecord } from '../../../src/api/noise/heartbeat.ts'
import { useResource } from '../../api/resource.ts'
import { refreshClock } from '../../live/stats.ts'
import { plural } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'
import { Output } from './output.tsx'

const COLUMNS = ['Heartbeat', 'State', 'Last sign of life', 'Due', 'Schedule', 'Run', 'Last ping']

/** Heartbeats: whether each came in time, when it is due, and the text of its last ping. */
export function HeartbeatsPage() {
  const list = useResource<HeartbeatList>('/api/admin/heartbeats', refreshClock)
  const shown = useSignal('')
  const { value } = list
  const down = value?.heartbeats.filter(({ state }) => !isGood(state)).length ?? 0
  const note =
    value && `${plural(value.heartbeats.length, 'heartbeat')}, ${down === 0 ? 'all beat' : `${down} do not beat`}`
  return (
    <Page title="Heartbeats" note={note}>
      {value === undefined ? (
        <Pending of={list} lines={6} />
      ) : value.heartbeats.length === 0 ? (
        <p class="quiet">No heartbeat is configured.</p>
      ) : (
        <section class="card">
          <Table columns={COLUMNS}>
            {value.heartbeats.map((each) => (
              <Row key={each.name} of={each} show={() => (shown.value = each.name)} />
            ))}
          </Table>
        </section>
      )}
      {shown.value !== '' && <Output of={shown.value} close={() => (shown.value = '')} />}
    </Page>
  )
}

const isGood = (state: HeartbeatRecord['state']) => state === 'beating' || state === 'back'

function Row({ of, show }: { readonly of: HeartbeatRecord; readonly show: () => void }) {
  const { name, state, why, heard_at, missing_since, due_at, match, slug } = of
  return (
    <tr>
      <th scope="row">
        {name}
        {(match !== '' || slug !== null) && (
          <div class="quiet mono break">{match === '' ? `/ping/…/${slug}` : match}</div>
        )}
      </th>
      <td>
        <Chip tone={isGood(state) ? 'good' : 'bad'}>{state}</Chip>
        {why !== null && <div class="quiet">{why}</div>}
        {missing_since !== null && (
          <div class="quiet">
            since <Time at={missing_since} />
          </div>
        )}
      </td>
      <td>{heard_at === null ? 'none' : <Time at={heard_at} as="age" />}</td>
      <td>{due_at === null ? '–' : <Time at={due_at} as="age" />}</td>
      <td>
        {of.cron === null ? `every ${span(of.every_ms ?? 0)}` : <code>{of.cron}</code>}
        <div class="quiet">
          {of.time_zone !== null && `${of.time_zone}, `}grace {span(of.grace_ms)}
        </div>
      </td>
      <td>
        <Run of={of} />
      </td>
      <td>
        <LastPing of={of} show={show} />
      </td>
    </tr>
  )
}

function Run({ of: { running_since, last_run_ms } }: { readonly of: HeartbeatRecord }) {
  if (running_since !== null)
    return (
      <>
        running, begun <Time at={running_since} as="age" />
      </>
    )
  return last_run_ms === null ? '–' : span(last_run_ms)
}

function LastPing({ of, show }: { readonly of: HeartbeatRecord; readonly show: () => void }) {
  const { last_signal, last_signal_at, output_bytes } = of
  if (last_signal === null || last_signal_at === null) return '–'
  return (
    <>
      {last_signal}, <Time at={last_signal_at} as="age" />
      {output_bytes > 0 && (
        <div>
          <button type="button" class="plain-button" onClick={show}>
            Show its output
          </button>
        </div>
      )}
    </>
  )
}
