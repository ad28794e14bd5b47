import type { RunRecord } from '../../../src/api/oncall/run.ts'
import { href } from '../../app/route.ts'
import { Card } from '../../ui/card.tsx'
import { State } from '../../ui/chip.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'

/** Lateness below is not said, as in messages. */
const LATE_MS = 30_000

/** Whom each escalation of a problem asked, why, by which ways, and what became of it. */
export const Woken = ({ of }: { readonly of: readonly RunRecord[] }) =>
  of.map((run) => (
    <Card key={run.id} title="Who was woken" label={`Who was woken by run ${run.id}`} aside={<State of={run.phase} />}>
      <p>
        <a href={href('oncall')}>Escalation {run.escalation}</a>, begun <Time at={run.began_at} />
        {run.acked_by !== null && `, acknowledged by ${run.acked_by}`}
        {run.next_at !== null && (
          <>
            , next step <Time at={run.next_at} as="age" />
          </>
        )}
        {run.ended_at !== null && (
          <>
            , over <Time at={run.ended_at} />
            {run.ended_by !== null && ` (${run.ended_by})`}
          </>
        )}
      </p>
      {run.pages.length > 0 && (
        <Table columns={['Step', 'Asked', 'Why', 'Way', 'State', 'When']}>
          {run.pages.map((page, at) => (
            <Row key={at} of={page} />
          ))}
        </Table>
      )}
    </Card>
  ))

function Row({ of }: { readonly of: RunRecord['pages'][number] }) {
  const at = of.told_at ?? of.due_at ?? of.settled_at
  return (
    <tr>
      <td>
        {of.step === 0 ? 'again' : of.step}
        {of.round > 0 && <div class="quiet">round {of.round + 1}</div>}
      </td>
      <th scope="row">{of.person ?? (of.target || '–')}</th>
      <td class="break">{[of.target, of.because].filter(Boolean).join(', ') || '–'}</td>
      <td>{of.way ?? '–'}</td>
      <td>
        <State of={of.state} />
        {of.detail !== null && <div class="quiet break">{of.detail}</div>}
      </td>
      <td>
        {at === null ? '–' : <Time at={at} as={of.told_at === null && of.due_at !== null ? 'age' : 'short'} />}
        {of.late_ms >= LATE_MS && <div class="quiet">{span(of.late_ms)} late</div>}
      </td>
    </tr>
  )
}
