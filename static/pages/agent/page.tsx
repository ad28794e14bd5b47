import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { AgentStatus, SystemPromptAnswer } from '../../../src/api/agent/agent.ts'
import { useResource } from '../../api/resource.ts'
import { href, navigate, route } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { Chip } from '../../ui/chip.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DetectLog } from './detect.tsx'
import { Patterns } from './patterns.tsx'
import { Services } from './services.tsx'
import { ShadowLog } from './shadow.tsx'
import { StatusView } from './status.tsx'

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
