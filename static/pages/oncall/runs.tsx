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
      <Table
        rows={open}
        id={({ id }) => id}
        columns={[
          ['Problem', (run) => <Problem of={run} />],
          ['Escalation', ({ escalation }) => escalation],
          ['State', (run) => <Phase of={run} />],
          ['Asked last', askedLast],
          ['Next step', ({ next_at }) => (next_at === null ? '–' : <Time at={next_at} as="age" />)],
        ]}
      />
    </Card>
  )
}

const Problem = ({ of: { severity, problem, title } }: { readonly of: RunRecord }) => (
  <>
    <Severity severity={severity} short /> <a href={href('problems', String(problem))}>{title}</a>
  </>
)

const Phase = ({ of: { phase, acked_by } }: { readonly of: RunRecord }) => (
  <>
    <State of={phase} />
    {acked_by !== null && <div class="quiet">by {acked_by}</div>}
  </>
)

function askedLast({ pages }: RunRecord) {
  const last = pages.at(-1)
  if (last === undefined) return '–'
  return (
    <>
      {last.person ?? last.target}
      <div class="quiet">{[last.way, last.state, last.detail].filter((each) => each !== null).join(', ')}</div>
    </>
  )
}
