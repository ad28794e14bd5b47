import type { DoorList, DoorStatus } from '../../../src/api/door.ts'
import { useResource } from '../../api/resource.ts'
import { refreshClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { count } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const NAMES: { readonly [door: string]: string } = {
  alertmanager: 'Alertmanager API',
  pagerduty: 'PagerDuty events',
  opsgenie: 'Opsgenie alerts',
  pings: 'Pings',
  otlp: 'OTLP logs',
}

/** The doors in the shape of other programs' APIs that somebody has called, and those that are on. */
export function Senders() {
  const list = useResource<DoorList>('/api/admin/doors', refreshClock)
  const { value } = list
  if (value?.doors.every(({ open, last_at }) => !open && last_at === null)) return undefined
  return (
    <Card title="Senders" aside={<p class="quiet">Doors in the shape of other programs’ APIs, since the start</p>}>
      {value === undefined ? (
        <Pending of={list} />
      ) : (
        <Table
          columns={['Door', { number: 'Requests a minute' }, 'Last request', 'Refused', { number: 'Requests in all' }]}
        >
          {value.doors.map((door) => (
            <DoorRow key={door.name} of={door} />
          ))}
        </Table>
      )}
    </Card>
  )
}

const LEAST_REFUSAL = 400

function DoorRow({ of: { name, open, last_minute, last_at, codes } }: { readonly of: DoorStatus }) {
  const answers = Object.entries(codes)
  const refused = answers.filter(([code]) => Number(code) >= LEAST_REFUSAL)
  return (
    <tr>
      <th scope="row">
        {NAMES[name] ?? name} {!open && <Chip tone="plain">off</Chip>}
      </th>
      <td class="number">{count(last_minute)}</td>
      <td>{last_at === null ? 'none' : <Time at={last_at} as="age" />}</td>
      <td>{refused.length === 0 ? '–' : refused.map(([code, times]) => `${code}: ${count(times)}`).join(', ')}</td>
      <td class="number">{count(answers.reduce((sum, [, times]) => sum + times, 0))}</td>
    </tr>
  )
}
