import type { ReplicaList, ReplicaRecord } from '../../../src/api/replica.ts'
import { useResource } from '../../api/resource.ts'
import { refreshClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { latency, rate } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'

/** The replicas that share the database: which one leads, and what each accepts. */
export function ReplicaTable() {
  const list = useResource<ReplicaList>('/api/admin/replicas', refreshClock)
  const { value } = list
  return (
    <Card
      title="Replicas"
      aside={value && <p class="quiet">{value.leader === null ? 'None leads' : `${value.leader} leads`}</p>}
    >
      {value === undefined ? (
        <Pending of={list} />
      ) : (
        <Table
          columns={[
            'Replica',
            'Role',
            'Version',
            'Since',
            { number: 'Accepted' },
            { number: 'Commit p99', hint: 'From handing a batch to the journal until it is committed' },
            { number: 'Last beat' },
            { number: 'Clock', hint: 'Its clock less that of the database; it decides nothing' },
          ]}
        >
          {value.replicas.map((replica) => (
            <ReplicaRow key={`${replica.name} ${replica.since}`} of={replica} />
          ))}
        </Table>
      )}
    </Card>
  )
}

function ReplicaRow({ of }: { readonly of: ReplicaRecord }) {
  const { name, address, role, version, since, figures, last_beat_ms, clock_offset_ms, shares } = of
  return (
    <tr>
      <th scope="row" title={address}>
        {name}{' '}
        {shares.length > 0 && (
          <Chip
            tone="warn"
            title="Another replica that runs has the same: give each its own replica.name and replica.address"
          >
            same {shares.join(' and ')}
          </Chip>
        )}{' '}
        {address === '' && (
          <Chip tone="warn" title="Set replica.address there: while it leads, the others cannot forward to it">
            no address
          </Chip>
        )}
      </th>
      <td>{role === 'leader' ? <Chip tone="good">leader</Chip> : 'follower'}</td>
      <td>{version}</td>
      <td>
        <Time at={since} />
      </td>
      <td class="number">{figures === null ? '–' : `${rate(figures.accepted_per_s)}/s`}</td>
      <td class="number">{latency(figures?.commit_ms.p99)}</td>
      <td class="number">{span(last_beat_ms)}</td>
      <td class="number">{clock_offset_ms === null ? '–' : offset(clock_offset_ms)}</td>
    </tr>
  )
}

const MINUTE_MS = 60_000

function offset(ms: number): string {
  const size = Math.abs(ms)
  return `${ms < 0 ? '−' : '+'}${size < MINUTE_MS ? latency(size) : span(size)}`
}
