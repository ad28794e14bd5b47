import type { ReadonlySignal } from '@preact/signals'
import type { LogService, LogServiceList } from '../../../src/api/agent/log-service.ts'
import { post } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** Services that the agent has seen. Patterns of a new one are learned and not reported until its grace period ends. */
export function Services({ refreshOn }: { readonly refreshOn: ReadonlySignal<unknown> }) {
  const services = useResource<LogServiceList>('/api/agent/services', refreshOn)
  const { value } = services
  if (value === undefined) return <Pending of={services} />
  if (value.services.length === 0) {
    return (
      <Empty icon="agent" title="No service yet" text="The agent reads the name of a service from its log lines." />
    )
  }
  const grace = async (name: string, action: 'end' | 'restart') => {
    await attempt(
      () => post(`/api/agent/services/${encodeURIComponent(name)}/grace`, { action }),
      () =>
        action === 'end'
          ? `New patterns of ${name} are reported from now on`
          : `The grace period of ${name} begins again`,
    )
    await services.load()
  }
  const button = ({ name, in_grace }: LogService) => (
    <Button onPress={() => void grace(name, in_grace ? 'end' : 'restart')}>
      {in_grace ? 'End now' : 'Restart'}
      <span class="hidden-text"> for {name}</span>
    </Button>
  )
  return (
    <section class="card">
      <Table
        rows={value.services}
        id={({ name }) => name}
        columns={[
          ['Service', ({ name }) => name || <span class="quiet">without a name</span>],
          ['First seen', ({ first_seen }) => <Time at={first_seen} />],
          ['Grace period', (service) => <Grace of={service} />],
          ['Actions', button, { number: true, hidden: true }],
        ]}
      />
    </section>
  )
}

const Grace = ({ of: { grace_ends, in_grace } }: { readonly of: LogService }) => (
  <>
    {in_grace && (
      <Chip tone="info" icon="clock">
        Learning
      </Chip>
    )}{' '}
    <span class="quiet">
      {in_grace ? 'ends' : 'ended'} <Time at={grace_ends} as="age" />
    </span>
  </>
)
