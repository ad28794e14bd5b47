import type { RunList, RunRecord } from '../../../src/api/oncall/run.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** Escalations at work on problems; nothing while none is. */
export function OpenRuns() {
  const list = useResource<RunList>('/api/admin/oncall/runs', refreshClock)
  const open = (list.value?.runs ?? []).filter(({ ended_at }) => ended_at === null)
  if (open.length === 0) return null
  return (
    <Card title="Open runs" aside={<span class="quiet">{plural(list.value?.open ?? 0, 'run')}</span>}>
      <Table columns={['Problem', 'Escalation', 'State', 'Asked last', 'Next step']}>
        {open.map((run) => (
          <Row key={run.id} of={run} />
        ))}
      </Table>
    </Card>
  )
}

function Row({
  of: { problem, title, severity, escalation, phase, acked_by, next_at, pages },
}: {
  readonly of: RunRecord
}) {
  const last = pages.at(-1)
  return (
    <tr>
      <th scope="row">
        <Severity severity={severity} short /> <a href={href('problems', String(problem))}>{title}</a>
      </th>
      <td>{escalation}</td>
      <td>
        <State of={phase} />
        {acked_by !== null && <div class="quiet">by {acked_by}</div>}
      </td>
      <td>
        {last === undefined ? '–' : (last.person ?? last.target)}
        {last && (
          <div class="quiet">{[last.way, last.state, last.detail].filter((each) => each !== null).join(', ')}</div>
        )}
      </td>
      <td>{next_at === null ? '–' : <Time at={next_at} as="age" />}</td>
    </tr>
  )
}
