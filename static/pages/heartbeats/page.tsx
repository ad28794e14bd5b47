import { useSignal } from '@preact/signals'
import type { HeartbeatDetail, HeartbeatList, HeartbeatRecord } from '../../../src/api/noise/heartbeat.ts'
import { useResource } from '../../api/resource.ts'
import { refreshClock } from '../../live/stats.ts'
import { plural } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'

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
          <Table
            rows={value.heartbeats}
            id={({ name }) => name}
            columns={[
              ['Heartbeat', (each) => <Name of={each} />],
              ['State', (each) => <State of={each} />],
              ['Last sign of life', ({ heard_at: at }) => (at === null ? 'none' : <Time at={at} as="age" />)],
              ['Due', ({ due_at: at }) => (at === null ? '–' : <Time at={at} as="age" />)],
              ['Schedule', (each) => <Schedule of={each} />],
              ['Run', runOf],
              ['Last ping', (each) => <LastPing of={each} show={() => (shown.value = each.name)} />],
            ]}
          />
        </section>
      )}
      {shown.value !== '' && <Output of={shown.value} close={() => (shown.value = '')} />}
    </Page>
  )
}

const isGood = (state: HeartbeatRecord['state']) => state === 'beating' || state === 'back'

const Name = ({ of: { name, match, slug } }: { readonly of: HeartbeatRecord }) => (
  <>
    {name}
    {(match !== '' || slug !== null) && <div class="quiet mono break">{match === '' ? `/ping/…/${slug}` : match}</div>}
  </>
)

const State = ({ of: { state, why, missing_since } }: { readonly of: HeartbeatRecord }) => (
  <>
    <Chip tone={isGood(state) ? 'good' : 'bad'}>{state}</Chip>
    {why !== null && <div class="quiet">{why}</div>}
    {missing_since !== null && (
      <div class="quiet">
        since <Time at={missing_since} />
      </div>
    )}
  </>
)

const Schedule = ({ of: { cron, every_ms, time_zone, grace_ms } }: { readonly of: HeartbeatRecord }) => (
  <>
    {cron === null ? `every ${span(every_ms ?? 0)}` : <code>{cron}</code>}
    <div class="quiet">
      {time_zone !== null && `${time_zone}, `}grace {span(grace_ms)}
    </div>
  </>
)

function runOf({ running_since, last_run_ms }: HeartbeatRecord) {
  if (running_since !== null) return <Time before="running, begun " at={running_since} as="age" />
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

/** Text of the program that sent the last ping of a heartbeat. */
function Output({ of, close }: { readonly of: string; readonly close: () => void }) {
  const detail = useResource<HeartbeatDetail>(`/api/admin/heartbeats/${encodeURIComponent(of)}`)
  const { value } = detail
  return (
    <Dialog title={`Output of ${of}`} close={close}>
      {value === undefined ? (
        <Pending of={detail} />
      ) : (
        <pre class="break">{value.output || 'It is not known any more.'}</pre>
      )}
    </Dialog>
  )
}
