import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { IncidentPage } from '../../../src/api/incident.ts'
import type { TemplateList } from '../../../src/api/templates.ts'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import { useResource } from '../../api/resource.ts'
import { route } from '../../app/route.ts'
import { Message } from '../../preview/message.tsx'
import { plural } from '../../ui/charts/numbers.ts'
import { Editor } from '../../ui/editor.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Button, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Playground } from './playground.ts'

const RECENT = 30

/** A template in an editor, a choice of payloads, and the rendered message. */
export function TemplatesPage() {
  const templates = useResource<TemplateList>('/api/admin/templates')
  const recent = useResource<IncidentPage>(`/api/admin/incidents?limit=${RECENT}`)
  const { value } = templates
  if (value === undefined)
    return (
      <Page title="Templates">
        <Pending of={templates} lines={8} />
      </Page>
    )
  return <Bench templates={value} incidents={recent.value?.incidents ?? []} />
}

interface BenchProps {
  readonly templates: TemplateList
  readonly incidents: IncidentPage['incidents']
}

function Bench({ templates, incidents }: BenchProps) {
  const playground = useMemo(() => new Playground(templates, route.peek().query), [templates])
  const own = playground.template.value
  if (own === undefined)
    return (
      <Page title="Templates">
        <Empty icon="templates" title="No channel is enabled" text="Enable a channel to try its template here." />
      </Page>
    )
  const edited = playground.text.value !== own.text
  return (
    <Page
      title="Templates"
      class="page-full templates"
      aside={<Choices playground={playground} templates={templates} incidents={incidents} />}
    >
      <div class="playground">
        <section class="card playground-editor stack" aria-label="Template">
          <header class="card-head">
            <h2 class="mono cut">{own.file}</h2>
            {edited && <span class="quiet">changed here only, not in the file</span>}
            <div class="actions">
              {edited && <Button onPress={() => playground.reset()}>Undo changes</Button>}
              <Button icon="copy" onPress={() => void navigator.clipboard?.writeText(playground.text.peek())}>
                Copy
              </Button>
            </div>
          </header>
          <Editor
            label="Template"
            text={playground.text.value}
            change={(text) => playground.edit(text)}
            errorAt={playground.position}
          />
        </section>
        <Outcome playground={playground} channel={own.channel} />
      </div>
    </Page>
  )
}

interface ChoicesProps extends BenchProps {
  readonly playground: Playground
}

function Choices({ playground, templates, incidents }: ChoicesProps) {
  const stored = incidents.map(({ id, title }) => [`incident:${id}`, title] as const)
  const subject = playground.subject.value
  const older = subject.startsWith('incident:') && !stored.some(([value]) => value === subject)
  return (
    <div class="filter-choices row">
      <Select
        label="Channel"
        value={playground.channel.value}
        options={templates.templates.map(({ channel, enabled }) => [
          channel,
          enabled ? channel : `${channel} (not enabled)`,
        ])}
        onChoose={(channel) => playground.chooseChannel(channel)}
      />
      <Select
        label="Payload"
        value={subject}
        options={[
          ...templates.samples.map(({ name }) => [`sample:${name}`, name] as const),
          ['own', 'your own payload'],
          ...(older ? [[subject, 'the incident of the last page'] as const] : []),
          ...stored,
        ]}
        onChoose={(subject) => void playground.chooseSubject(subject)}
      />
    </div>
  )
}

/** The rendered message as preview or text, or the payload in an editor. */
function Outcome({ playground, channel }: { readonly playground: Playground; readonly channel: ChannelName }) {
  const view = useSignal<'look' | 'text' | 'payload'>('look')
  const { answer: preview, message } = playground.question.outcome.value
  return (
    <section class="card playground-outcome stack" aria-label="Result">
      <header class="card-head">
        <Tabs
          label="Views of the result"
          tabs={{ look: 'Preview', text: 'Text as sent', payload: 'Payload' }}
          chosen={view.value}
          onChoose={(next) => (view.value = next)}
        />
        {preview && <span class="quiet">{plural(preview.text.length, 'character')}</span>}
      </header>
      <div class="stack gap-2" role="status">
        {message !== '' && <Warning bad text={message} />}
        {message === '' && preview?.warnings.map((warning) => <Warning key={warning} text={warning} />)}
      </div>
      {view.value === 'payload' ? (
        <Editor json label="Payload" text={playground.payload.value} change={(text) => playground.editPayload(text)} />
      ) : (
        <div class={`playground-result ${message === '' ? '' : 'playground-stale'}`}>
          {preview === undefined ? null : view.value === 'text' ? (
            <pre class="raw">
              {preview.subject === undefined ? preview.text : `Subject: ${preview.subject}\n\n${preview.text}`}
            </pre>
          ) : (
            <Message channel={channel} {...preview} title="Incident" status={statusIn(playground)} at={NOW} />
          )}
        </div>
      )}
    </section>
  )
}

const NOW = new Date().toISOString()

/** Guesses the status from the payload, for the colour of the frame. */
const statusIn = (playground: Playground) =>
  /"status":\s*"(resolved|ok)"/i.test(playground.payload.value) ? 'resolved' : 'firing'

function Warning({ text, bad = false }: { readonly text: string; readonly bad?: boolean }) {
  return (
    <div class={`render-warning ${bad ? 'render-error' : ''}`}>
      <Icon name={bad ? 'cross' : 'triangle'} />
      <pre>{text}</pre>
    </div>
  )
}
