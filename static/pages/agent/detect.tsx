import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { FlushedCalls } from '../../../src/api/agent/agent.ts'
import type { DetectCall, DetectCallList } from '../../../src/api/agent/detect-call.ts'
import { post } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { latency, plural } from '../../ui/charts/numbers.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { Button } from '../../ui/field.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { CallDialog } from './call.tsx'
import { EventLog } from './event-log.tsx'

/** All calls of the model with their findings. */
export function DetectLog({ refreshOn }: { readonly refreshOn: ReadonlySignal<unknown> }) {
  const log = useResource<DetectCallList>('/api/agent/detect', refreshOn)
  const open = useSignal('')
  const flush = () =>
    attempt(
      () => post<FlushedCalls>('/api/agent/detect/flush'),
      ({ events }) => `${plural(events, 'entry', 'entries')} written to disk`,
    )
  const text = (
    <>
      In detect mode with <code>agent.ai.enable</code>, the agent asks the model about each pattern before it reports
      it. Questions and answers are listed here.
    </>
  )
  return (
    <EventLog
      name="detect"
      log={log}
      noun="question"
      empty={{ title: 'No question yet', text }}
      clearing="All questions and answers are deleted. Calls of the last hour still count towards the limit."
      actions={<Button onPress={() => void flush()}>Write to disk</Button>}
      row={(event) => <DetectRow key={event.id} of={event} open={() => (open.value = event.id)} />}
    >
      {open.value !== '' && <CallDialog id={open.value} close={() => (open.value = '')} />}
    </EventLog>
  )
}

const DetectRow = ({ of, open }: { readonly of: DetectCall; open(): void }) => (
  <li class="event-card stack gap-1 small">
    <div class="row">
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
