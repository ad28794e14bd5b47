import { useMemo } from 'preact/hooks'
import type { TemplateList } from '../../../src/api/templates.ts'
import { useResource } from '../../api/resource.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Select } from '../../ui/field.tsx'
import { Steps } from '../../ui/steps.tsx'
import { RouteTrial } from './route-trial.ts'

/** A payload, and what would be done with it. Nothing is sent or stored. */
export function Trial() {
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
