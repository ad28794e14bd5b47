import { useMemo } from 'preact/hooks'
import type { RouteRecord, RouteTable } from '../../../src/api/noise/route.ts'
import type { TemplateList } from '../../../src/api/templates.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { dataVersion } from '../../live/stats.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Steps } from '../../ui/steps.tsx'
import { Time } from '../../ui/time.tsx'
import { RouteTrial } from './route-trial.ts'

/** The rules that choose who is notified of an incident, and a field to try a payload. */
export function RoutesPage() {
  const routes = useResource<RouteTable>('/api/admin/routes', dataVersion)
  const { value } = routes
  const rules = value && plural(value.routes.length, 'rule')
  return (
    <Page title="Routes" note={rules && `${rules}, looked at in this order; the first that matches decides`}>
      {value === undefined ? <Pending of={routes} lines={6} /> : <Rules of={value} />}
      <Trial />
    </Page>
  )
}

/** The rules in their order, with what matched so far, and last the incidents that no rule matched. */
const Rules = ({ of: { routes, unmatched } }: { readonly of: RouteTable }) => (
  <section class="card">
    <ol class="rules">
      {routes.map((route, nth) => (
        <Rule key={route.name} of={route} number={nth + 1} />
      ))}
      <li class="rule lined">
        <span class="rule-number" />
        <span class="rule-name stack gap-1">
          <strong>{routes.length === 0 ? 'every incident' : 'no rule matched'}</strong>
          <span class="quiet">{routes.length === 0 && 'Without routes every enabled channel is notified.'}</span>
        </span>
        <span class="rule-to stack gap-1">{unmatched.to.join(', ') || 'nobody'}</span>
        <Hits rule="" hits={unmatched.hits} lastAt={null} />
      </li>
    </ol>
  </section>
)

function Rule({ of, number }: { readonly of: RouteRecord; readonly number: number }) {
  const { name, line, match, during, active, to, oncall, priority, never_reached_behind } = of
  const duties = [
    oncall && (oncall.enable ? `pages${waitOf(oncall.wait_minutes)}` : oncall.enable === false && 'does not page'),
    oncall?.escalation && `escalation ${oncall.escalation}`,
    priority && `priority ${priority}`,
    of.continue && 'goes on to the next rule',
  ].filter((each) => each)
  return (
    <li class={`rule lined ${never_reached_behind === null ? '' : 'rule-dead'}`}>
      <span class="rule-number quiet">{number}</span>
      <span class="rule-name stack gap-1">
        <strong>{name}</strong>
        <span class="mono break">{match}</span>
        <span class="rule-marks row">
          {during !== null && (
            <Chip tone={active ? 'info' : 'plain'} icon="clock">
              {during}
              {active ? '' : ', not now'}
            </Chip>
          )}
          {never_reached_behind !== null && (
            <Chip tone="bad" icon="triangle">
              Never reached behind {never_reached_behind}
            </Chip>
          )}
          {line !== null && <code class="quiet break">{line}</code>}
        </span>
      </span>
      <span class="rule-to stack gap-1">
        {to === null ? 'every channel' : to.join(', ') || 'nobody'}
        {duties.length > 0 && <span class="quiet">{duties.join(', ')}</span>}
      </span>
      <Hits rule={name} hits={of.hits} lastAt={of.last_hit_at} />
    </li>
  )
}

const waitOf = (minutes: number | null) =>
  minutes === null ? '' : minutes === 0 ? ' at once' : ` after ${minutes} min`

interface HitsProps {
  /** '' for incidents that no rule matched. */
  readonly rule: string
  readonly hits: number
  readonly lastAt: string | null
}

const Hits = ({ rule, hits, lastAt }: HitsProps) => (
  <span class="rule-hits stack gap-1">
    {hits === 0 ? (
      <span class="quiet">never</span>
    ) : rule === '' ? (
      <strong>{count(hits)}</strong>
    ) : (
      <a href={href('incidents', '', { rule })}>
        {count(hits)}
        <span class="hidden-text"> incidents of {rule}</span>
      </a>
    )}
    {lastAt !== null && (
      <span class="quiet">
        <Time at={lastAt} as="age" />
      </span>
    )}
  </span>
)

/** A payload, and what would be done with it. Nothing is sent or stored. */
function Trial() {
  const templates = useResource<TemplateList>('/api/admin/templates')
  return templates.value === undefined ? <Pending of={templates} /> : <Bench samples={templates.value.samples} />
}

function Bench({ samples }: { readonly samples: TemplateList['samples'] }) {
  const trial = useMemo(() => new RouteTrial(samples), [samples])
  return (
    <div class="trial columns">
      <section class="card trial-payload stack" aria-label="Payload">
        <header class="card-head">
          <h2>Try a payload</h2>
          <Select
            label="Payload"
            value={trial.sample.value}
            options={[...samples.map(({ name }) => name), ['', 'your own']]}
            onChoose={(name) => trial.choose(name)}
          />
        </header>
        <Editor json label="Payload" text={trial.payload.value} change={(text) => trial.edit(text)} />
        <label class="trial-at row small">
          <span>at</span>
          <input
            type="datetime-local"
            aria-label="Moment at which schedules are asked; empty for now"
            value={trial.at.value}
            onInput={(event) => trial.moveTo(event.currentTarget.value)}
          />
          <span class="quiet">schedules are asked for this moment; empty: now</span>
        </label>
      </section>
      <Card title="What would happen" label="Result" aside={<p class="quiet">Nothing is sent</p>}>
        <Answer of={trial.question.outcome.value}>
          {({ decisions }) => <Steps of={decisions} label="Decisions" />}
        </Answer>
      </Card>
    </div>
  )
}
