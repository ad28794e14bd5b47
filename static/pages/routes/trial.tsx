import { useMemo } from 'preact/hooks'
import type { TemplateList } from '../../../src/api/templates.ts'
import { useResource } from '../../api/resource.ts'
import { Card } from '../../ui/card.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Steps } from '../../ui/steps.tsx'
import { RouteTrial } from './route-trial.ts'

/** A payload, and what would be done with it. Nothing is sent or stored. */
export function Trial() {
  const templates = useResource<TemplateList>('/api/admin/templates')
  const { value } = templates.state.value
  if (value === undefined) return <Pending of={templates} />
  return <Bench samples={value.samples} />
}

function Bench({ samples }: { readonly samples: TemplateList['samples'] }) {
  const trial = useMemo(() => new RouteTrial(samples), [samples])
  const { explanation, message } = trial.outcome.value
  return (
    <div class="trial">
      <section class="card trial-payload" aria-label="Payload">
        <header class="card-head">
          <h2>Try a payload</h2>
          <Select
            label="Payload"
            value={trial.sample.value}
            options={[...samples.map(({ name }) => [name, name] as const), ['', 'your own'] as const]}
            onChoose={(name) => trial.choose(name)}
          />
        </header>
        <Editor json label="Payload" text={trial.payload.value} change={(text) => trial.edit(text)} />
        <label class="trial-at">
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
        <div role="status">
          {message !== '' && (
            <p class="error-text trial-error">
              <Icon name="cross" />
              {message}
            </p>
          )}
        </div>
        {explanation !== undefined && (
          <div class={message === '' ? '' : 'playground-stale'}>
            <Steps of={explanation.decisions} label="Decisions" />
          </div>
        )}
      </Card>
    </div>
  )
}
