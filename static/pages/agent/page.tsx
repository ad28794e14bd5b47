import { computed, type ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { AgentStatus, LogSourceStatus, SystemPromptAnswer } from '../../../src/api/agent/agent.ts'
import type { ShadowEvent, ShadowEventList } from '../../../src/api/agent/shadow-event.ts'
import { useResource } from '../../api/resource.ts'
import { href, navigate, route } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Figure } from '../../ui/charts/figure.tsx'
import { Meter } from '../../ui/charts/meter.tsx'
import { count, plural, rate } from '../../ui/charts/numbers.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { span, Time } from '../../ui/time.tsx'
import { DetectLog } from './detect.tsx'
import { EventLog } from './event-log.tsx'
import { Patterns } from './patterns.tsx'
import { Services } from './services.tsx'

const TABS = {
  status: 'Status',
  patterns: 'Patterns',
  services: 'Services',
  shadow: 'Shadow log',
  detect: 'Detect log',
  prompt: 'System prompt',
} as const
type Tab = keyof typeof TABS
const TAB_IDS = Object.keys(TABS) as Tab[]

const MODES: { readonly [mode: string]: string } = {
  training: 'learns, raises nothing',
  shadow: 'logs what it would raise',
  detect: 'raises incidents',
}

/** The log agent: its sources, patterns, services, logs and prompt. */
export function AgentPage() {
  const status = useResource<AgentStatus>('/api/agent/status', refreshClock)
  const { value } = status
  const ticks = useMemo(() => computed(() => status.value?.ticks ?? 0), [status])
  const tab = TAB_IDS.find((id) => id === route.value.rest) ?? 'status'
  return (
    <Page
      title="Agent"
      class={`agent ${tab === 'patterns' ? 'page-tall' : ''}`}
      note={value?.mode && <Mode of={value.mode} />}
      aside={<Views chosen={tab} />}
    >
      {value === undefined ? (
        <Pending of={status} lines={6} />
      ) : !value.enabled && tab === 'status' ? (
        <Off />
      ) : (
        <>
          {tab === 'status' && <StatusView of={value} />}
          {tab === 'patterns' && <Patterns ticks={ticks} />}
          {tab === 'services' && <Services refreshOn={ticks} />}
          {tab === 'shadow' && <ShadowLog refreshOn={ticks} />}
          {tab === 'detect' && <DetectLog refreshOn={ticks} />}
          {tab === 'prompt' && <SystemPrompt />}
        </>
      )}
    </Page>
  )
}

const Mode = ({ of }: { readonly of: string }) => (
  <>
    <Chip tone="info">{of}</Chip> {MODES[of]}
  </>
)

const Views = ({ chosen }: { readonly chosen: Tab }) => (
  <Tabs
    label="Views"
    tabs={TABS}
    chosen={chosen}
    onChoose={(id) => navigate(href('agent', id === 'status' ? '' : id))}
  />
)

const Off = () => (
  <Empty icon="agent" title="The agent is off">
    <p>
      It reads logs, learns their patterns, and raises an incident when a pattern is new or much more frequent than
      usual. To use it, set <code>agent.enable: true</code>, add a source, begin with <code>mode: training</code>, and
      restart the service.
    </p>
  </Empty>
)

/** The system prompt, which precedes every question to the model. */
function SystemPrompt() {
  const prompt = useResource<SystemPromptAnswer>('/api/agent/ai/system-prompt')
  if (prompt.value === undefined) return <Pending of={prompt} lines={10} />
  return (
    <section class="card">
      <pre class="break">{prompt.value.system_prompt}</pre>
    </section>
  )
}

/** The incidents that the agent would have raised in detect mode. */
const ShadowLog = ({ refreshOn }: { readonly refreshOn: ReadonlySignal<unknown> }) => (
  <EventLog
    name="shadow"
    log={useResource<ShadowEventList>('/api/agent/shadow', refreshOn)}
    noun="pattern"
    empty={{
      title: 'The shadow log is empty',
      text: 'In shadow mode the agent lists here what it would have raised, so that you can judge how much that is.',
    }}
    clearing="All entries are deleted. The patterns stay."
    row={(event) => <ShadowRow key={`${event.pattern_id} ${event.verdict}`} of={event} />}
  />
)

const ShadowRow = ({ of }: { readonly of: ShadowEvent }) => (
  <li class="event-card stack gap-1 small">
    <div class="row">
      <State of={of.verdict} />
      <span>would have been {plural(of.occurrences, 'incident')}</span>
      <span class="quiet">
        {plural(of.count, 'line')}, last <Time at={of.last_seen} as="age" />
        {of.service && `, ${of.service}`}
      </span>
    </div>
    <code class="break">{of.template}</code>
    {of.sample_message !== '' && <pre class="raw">{of.sample_message}</pre>}
  </li>
)

function StatusView({ of }: { readonly of: AgentStatus }) {
  return (
    <>
      <dl class="figures">
        <Figure name="Lines" value={rate(of.lines_per_s)} unit="/s">
          {count(of.lines ?? 0)} in total
        </Figure>
        <Figure name="Lag" value={of.lag < 1_000 ? 'none' : span(of.lag)}>
          {of.lag < 1_000 ? 'all sources are up to date' : 'of the slowest source'}
        </Figure>
        <Figure name="Patterns" value={count(of.patterns)}>
          {count(of.merged ?? 0)} merged, {count(of.evicted ?? 0)} forgotten
        </Figure>
        <Figure name="Services" value={count(of.services ?? 0)}>
          {of.last_tick_at ? <Time before="last tick " at={of.last_tick_at} as="age" /> : 'no tick yet'}
        </Figure>
        {of.ai && (
          <Figure name="Questions to the model" value={of.ai.enabled ? count(of.ai.calls_last_hour) : 'off'}>
            {of.ai.enabled
              ? `${of.ai.model}, at most ${of.ai.max_calls_per_hour} per hour`
              : 'findings come from rules'}
          </Figure>
        )}
      </dl>
      {of.ai?.enabled && of.ai.paused && (
        <p class="error-text">
          The model failed several times in a row. It is not asked for a while, and findings come from rules.
        </p>
      )}
      <Card title="Sources" aside={of.ai?.enabled && <Budget of={of.ai} />}>
        {of.sources.length === 0 ? (
          <Empty icon="agent" title="No source">
            <p>
              Add one to <code>agent.sources</code>: a file, Loki, Elasticsearch, or lines pushed over HTTP.
            </p>
          </Empty>
        ) : (
          <Sources of={of.sources} />
        )}
      </Card>
    </>
  )
}

const Budget = ({ of }: { readonly of: NonNullable<AgentStatus['ai']> }) => (
  <div class="agent-budget">
    <Meter
      label="questions in the last hour"
      value={of.calls_last_hour}
      max={of.max_calls_per_hour}
      text={`${of.calls_last_hour} of ${of.max_calls_per_hour} questions`}
    />
  </div>
)

const Sources = ({ of }: { readonly of: readonly LogSourceStatus[] }) => (
  <Table
    rows={of}
    id={({ name }) => name}
    columns={[
      ['Source', ({ name }) => name],
      ['Type', ({ type }) => type],
      ['State', ({ state, error }) => [<State key="state" of={state} />, error && <p class="error-text">{error}</p>]],
      ['Lag', ({ lag_ms }) => (lag_ms < 1_000 ? 'none' : span(lag_ms)), { number: true }],
      ['Events', ({ events }) => count(events), { number: true }],
      ['Last read to its end', ({ read_to_end_at: at }) => (at ? <Time at={at} as="age" /> : NOT_YET)],
    ]}
  />
)
const NOT_YET = <span class="quiet">not yet</span>
