import type { DetectCallDetail, ModelFinding } from '../../../src/api/agent/detect-call.ts'
import { useResource } from '../../api/resource.ts'
import { Fact, TimeFact } from '../../ui/charts/figure.tsx'
import { latency, percent } from '../../ui/charts/numbers.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Tree } from '../../ui/tree.tsx'

/** One call of the model: its finding, the prompts and the raw answer. */
export function CallDialog({ id, close }: { readonly id: string; close(): void }) {
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
