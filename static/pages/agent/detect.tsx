import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { Cleared, FlushedCalls } from '../../../src/api/agent.ts'
import type { DetectCall, DetectCallList } from '../../../src/api/detect-call.ts'
import { post, remove } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { Chip, State } from '../../ui/chip.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty, ErrorPanel, LoadingLines } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { latency, plural } from '../../ui/numbers.ts'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { CallDialog } from './call.tsx'

/** All calls of the model with their findings. */
export function DetectLog({ refreshOn }: { readonly refreshOn: ReadonlySignal<unknown> }) {
  const log = useResource<DetectCallList>('/api/agent/detect', refreshOn)
  const open = useSignal('')
  const asking = useSignal(false)
  const { value, error } = log.state.value
  if (value === undefined)
    return error ? <ErrorPanel error={error} onRetry={() => void log.load()} /> : <LoadingLines />
  if (value.events.length === 0) {
    return (
      <Empty icon="agent" title="No question yet">
        <p>
          In detect mode with <code>agent.ai.enable</code>, the agent asks the model about each pattern before it
          reports it. Questions and answers are listed here.
        </p>
      </Empty>
    )
  }
  const clear = () =>
    attempt(
      () => remove<Cleared>('/api/agent/detect'),
      ({ cleared }) => `${plural(cleared, 'entry', 'entries')} cleared`,
    ).then(() => log.load())
  const flush = () =>
    attempt(
      () => post<FlushedCalls>('/api/agent/detect/flush'),
      ({ events }) => `${plural(events, 'entry', 'entries')} written to disk`,
    )
  return (
    <section class="card">
      <header class="card-head">
        <h2>{plural(value.events.length, 'question')}</h2>
        <div class="actions">
          <Button onPress={() => void flush()}>Write to disk</Button>
          <Button onPress={() => (asking.value = true)}>Clear</Button>
        </div>
      </header>
      <ul class="events">
        {value.events.map((event) => (
          <DetectRow key={event.id} of={event} open={() => (open.value = event.id)} />
        ))}
      </ul>
      {open.value !== '' && <CallDialog id={open.value} close={() => (open.value = '')} />}
      {asking.value && (
        <Confirm
          title="Clear the detect log?"
          action="Clear"
          confirm={() => void clear()}
          close={() => (asking.value = false)}
        >
          <p>All questions and answers are deleted. Calls of the last hour still count towards the limit.</p>
        </Confirm>
      )}
    </section>
  )
}

const DetectRow = ({ of, open }: { readonly of: DetectCall; open(): void }) => (
  <li class="event-card">
    <div class="event-marks">
      {of.finding ? <Severity severity={of.finding.severity} /> : <Chip tone="bad">{of.outcome}</Chip>}
      <State of={of.verdict} />
      <span class="quiet">
        <Time at={of.at} />, {of.model || 'no model'}, {latency(of.duration_ms)}
        {of.service && `, ${of.service}`}
      </span>
    </div>
    <button type="button" class="link-button event-open" onClick={open}>
      {of.finding?.title ?? (of.error || 'No finding')}
    </button>
    {of.finding && <p>{of.finding.summary}</p>}
    <code class="break quiet">{of.template}</code>
  </li>
)
