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
  return (
    <section class="card">
      <Table columns={['Service', 'First seen', 'Grace period', { hidden: 'Actions' }]}>
        {value.services.map((service) => (
          <ServiceRow key={service.name} of={service} grace={grace} />
        ))}
      </Table>
    </section>
  )
}

interface ServiceRowProps {
  readonly of: LogService
  grace(name: string, action: 'end' | 'restart'): Promise<void>
}

const ServiceRow = ({ of: { name, first_seen, grace_ends, in_grace }, grace }: ServiceRowProps) => (
  <tr>
    <th scope="row">{name || <span class="quiet">without a name</span>}</th>
    <td>
      <Time at={first_seen} />
    </td>
    <td>
      {in_grace && (
        <Chip tone="info" icon="clock">
          Learning
        </Chip>
      )}{' '}
      <span class="quiet">
        {in_grace ? 'ends' : 'ended'} <Time at={grace_ends} as="age" />
      </span>
    </td>
    <td class="number">
      <Button onPress={() => void grace(name, in_grace ? 'end' : 'restart')}>
        {in_grace ? 'End now' : 'Restart'}
        <span class="hidden-text"> for {name}</span>
      </Button>
    </td>
  </tr>
)
