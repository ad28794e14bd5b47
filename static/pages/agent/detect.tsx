import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { FlushedCalls } from '../../../src/api/agent/agent.ts'
import type { DetectCall, DetectCallDetail, DetectCallList, ModelFinding } from '../../../src/api/agent/detect-call.ts'
import { post } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { Fact, TimeFact } from '../../ui/charts/figure.tsx'
import { latency, percent, plural } from '../../ui/charts/numbers.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { Tree } from '../../ui/tree.tsx'
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

/** One call of the model: its finding, the prompts and the raw answer. */
function CallDialog({ id, close }: { readonly id: string; close(): void }) {
  const call = useResource<DetectCallDetail>(`/api/agent/detect/${encodeURIComponent(id)}`)
  const { value } = call
  return (
    <Dialog title="Question to the model" class="pattern-dialog" close={close}>
      <div class="pattern-body stack gap-4">{value === undefined ? <Pending of={call} /> : <Call of={value} />}</div>
    </Dialog>
  )
}

function Call({ of }: { readonly of: DetectCallDetail }) {
  const { prompts = '' } = of
  return (
    <>
      {of.finding ? <FindingView of={of.finding} /> : <p class="error-text">{of.error || of.outcome}</p>}
      <dl class="facts">
        <TimeFact name="Asked" at={of.at} as="whole" />
        <Fact name="Model">{of.model || '–'}</Fact>
        <Fact name="Took">{latency(of.duration_ms)}</Fact>
        <Fact name="Outcome">{of.outcome}</Fact>
      </dl>
      {typeof prompts === 'string' ? (
        <Text title="Prompt" text={prompts} />
      ) : (
        <>
          <Text title="System prompt" text={prompts.system} />
          <Text title="Prompt" text={prompts.user} />
        </>
      )}
      <Text title="Raw answer" text={of.raw_response ?? ''} json />
    </>
  )
}

const FindingView = ({ of }: { readonly of: ModelFinding }) => (
  <div class="finding stack gap-2">
    <div class="row">
      <Severity severity={of.severity} />
      <span class="quiet">
        {of.category}, {percent(of.confidence)} sure
      </span>
    </div>
    <h3>{of.title}</h3>
    <p>{of.summary}</p>
    <ul class="suggestions">
      {of.suggestions.map((suggestion) => (
        <li key={suggestion}>{suggestion}</li>
      ))}
    </ul>
  </div>
)

interface TextProps {
  readonly title: string
  readonly text: string
  /** Shows JSON as a tree. */
  readonly json?: boolean
}

const Text = ({ title, text, json = false }: TextProps) =>
  text === '' ? null : (
    <details class="fold">
      <summary>{title}</summary>
      {json ? <Json text={text} /> : <pre class="raw">{text}</pre>}
    </details>
  )

function Json({ text }: { readonly text: string }) {
  try {
    return <Tree value={JSON.parse(text)} />
  } catch {
    return <pre class="raw">{text}</pre>
  }
}
