import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { Cleared } from '../../../src/api/agent.ts'
import type { ShadowEvent, ShadowEventList } from '../../../src/api/shadow-event.ts'
import { remove } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { State } from '../../ui/chip.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty, ErrorPanel, LoadingLines } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { plural } from '../../ui/numbers.ts'
import { Time } from '../../ui/time.tsx'

/** The incidents that the agent would have raised in detect mode. */
export function ShadowLog({ refreshOn }: { readonly refreshOn: ReadonlySignal<unknown> }) {
  const log = useResource<ShadowEventList>('/api/agent/shadow', refreshOn)
  const asking = useSignal(false)
  const { value, error } = log.state.value
  if (value === undefined)
    return error ? <ErrorPanel error={error} onRetry={() => void log.load()} /> : <LoadingLines />
  if (value.events.length === 0) {
    return (
      <Empty icon="agent" title="The shadow log is empty">
        <p>In shadow mode the agent lists here what it would have raised, so that you can judge how much that is.</p>
      </Empty>
    )
  }
  const clear = () =>
    attempt(
      () => remove<Cleared>('/api/agent/shadow'),
      ({ cleared }) => `${plural(cleared, 'entry', 'entries')} cleared`,
    ).then(() => log.load())
  return (
    <section class="card">
      <header class="card-head">
        <h2>{plural(value.events.length, 'pattern')}</h2>
        <Button onPress={() => (asking.value = true)}>Clear</Button>
      </header>
      <ul class="events">
        {value.events.map((event) => (
          <ShadowRow key={`${event.pattern_id} ${event.verdict}`} of={event} />
        ))}
      </ul>
      {asking.value && (
        <Confirm
          title="Clear the shadow log?"
          action="Clear"
          confirm={() => void clear()}
          close={() => (asking.value = false)}
        >
          <p>All entries are deleted. The patterns stay.</p>
        </Confirm>
      )}
    </section>
  )
}

const ShadowRow = ({ of }: { readonly of: ShadowEvent }) => (
  <li class="event-card">
    <div class="event-marks">
      <State of={of.verdict} />
      <span>would have been {plural(of.occurrences, 'incident')}</span>
      <span class="quiet">
        {plural(of.count, 'line')}, last <Time at={of.last_seen} as="age" />
        {of.service && `, ${of.service}`}
      </span>
    </div>
    <code class="break">{of.template}</code>
    {of.sample_message !== '' && <pre class="raw">{of.sample_message}</pre>}
  </li>
)
