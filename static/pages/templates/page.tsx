import { useMemo } from 'preact/hooks'
import type { IncidentPage } from '../../../src/api/incident.ts'
import type { TemplateList } from '../../../src/api/templates.ts'
import { useResource } from '../../api/resource.ts'
import { route } from '../../app/route.ts'
import { Editor } from '../../ui/editor.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Button, Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Outcome } from './outcome.tsx'
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
