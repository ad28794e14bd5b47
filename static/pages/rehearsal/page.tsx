import { useEffect, useMemo } from 'preact/hooks'
import type { EffectiveConfig } from '../../../src/api/config.ts'
import { useResource } from '../../api/resource.ts'
import { ErrorLine } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { percent } from '../../ui/charts/numbers.ts'
import { Editor } from '../../ui/editor.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Button, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Result } from './result.tsx'
import { lineOf, RehearsalRunner, sectionsOf } from './run.ts'

/** An editor of the sections that decide who is notified, and what they would have done with the stored incidents. */
export function RehearsalPage() {
  const config = useResource<EffectiveConfig>('/api/admin/config')
  const { value } = config
  const note = 'plays the stored incidents under this configuration; nothing is sent, nothing changes'
  return (
    <Page title="Rehearsal" note={note}>
      {value === undefined ? <Pending of={config} lines={8} /> : <Bench config={value} />}
    </Page>
  )
}

const HOURS = [
  ['1', 'the last hour'],
  ['6', '6 hours'],
  ['24', '24 hours'],
  ['72', '3 days'],
  ['168', '7 days'],
] as const

function Bench({ config }: { readonly config: EffectiveConfig }) {
  const runner = useMemo(() => new RehearsalRunner(sectionsOf(config)), [config])
  useEffect(() => () => runner.close(), [runner])
  const errors = runner.errors.value
  const line = errors.map(lineOf).find((found) => found !== undefined)
  const rehearsal = runner.rehearsal.value
  const stale = runner.text.value !== runner.rehearsed.value
  return (
    <div class="trial columns rehearsal">
      <section class="card trial-payload stack" aria-label="Configuration">
        <header class="card-head">
          <h2>Proposed configuration</h2>
          <Select
            label="History"
            value={String(runner.hours.value)}
            options={HOURS}
            onChoose={(hours) => (runner.hours.value = Number(hours))}
          />
        </header>
        <Editor
          json
          label="Proposed configuration"
          text={runner.text.value}
          errorAt={line === undefined ? undefined : { line, column: 1 }}
          change={(text) => (runner.text.value = text)}
        />
        <div class="actions rehearsal-actions">
          <Button icon="play" primary busy={runner.busy.value} onPress={() => void runner.start()}>
            Rehearse
          </Button>
          <span class="quiet tiny">
            Sections <code>routes</code>, <code>schedules</code>, <code>silences</code>, <code>noise</code>; one that is
            absent is as in force.
          </span>
        </div>
      </section>
      <Card
        title="What would change"
        label="Result"
        aside={runner.busy.value && <Progress share={rehearsal?.progress ?? 0} />}
      >
        <div role="status">
          {errors.map((error) => (
            <ErrorLine key={error} text={error} />
          ))}
        </div>
        {rehearsal?.warnings.map((warning) => (
          <p key={warning} class="render-warning">
            <Icon name="triangle" />
            <span class="break">{warning}</span>
          </p>
        ))}
        {rehearsal?.result ? (
          <div class={stale ? 'playground-stale' : ''}>
            <Result of={rehearsal.result} />
          </div>
        ) : (
          errors.length === 0 && !runner.busy.value && <p class="quiet">Change the text, then rehearse it.</p>
        )}
      </Card>
    </div>
  )
}

const Progress = ({ share }: { readonly share: number }) => (
  <span class="rehearsal-progress">
    <progress value={share} max={1} aria-label="Progress of the rehearsal" />
    {percent(share)}
  </span>
)
