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
          rows={value.replicas}
          id={({ name, since }) => `${name} ${since}`}
          columns={[
            ['Replica', (replica) => <Name of={replica} />, { title: ({ address }) => address }],
            ['Role', ({ role }) => (role === 'leader' ? <Chip tone="good">leader</Chip> : 'follower')],
            ['Version', ({ version }) => version],
            ['Since', ({ since }) => <Time at={since} />],
            ['Accepted', ({ figures }) => (figures ? `${rate(figures.accepted_per_s)}/s` : '–'), { number: true }],
            ['Commit p99', ({ figures }) => latency(figures?.commit_ms.p99), { number: true, hint: COMMIT }],
            ['Last beat', ({ last_beat_ms }) => span(last_beat_ms), { number: true }],
            ['Clock', ({ clock_offset_ms: ms }) => (ms === null ? '–' : offset(ms)), { number: true, hint: CLOCK }],
          ]}
        />
      )}
    </Card>
  )
}

const COMMIT = 'From handing a batch to the journal until it is committed'
const CLOCK = 'Its clock less that of the database; it decides nothing'

const Name = ({ of: { name, address, shares } }: { readonly of: ReplicaRecord }) => (
  <>
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
  </>
)

const MINUTE_MS = 60_000

function offset(ms: number): string {
  const size = Math.abs(ms)
  return `${ms < 0 ? '−' : '+'}${size < MINUTE_MS ? latency(size) : span(size)}`
}
