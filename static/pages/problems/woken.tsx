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
        <Time before=", next step " at={run.next_at} as="age" />
        <Time before=", over " at={run.ended_at} />
        {run.ended_by !== null && ` (${run.ended_by})`}
      </p>
      {run.pages.length > 0 && (
        <Table
          rows={run.pages}
          id={(_, at) => at}
          naming={1}
          columns={[
            ['Step', stepOf],
            ['Asked', ({ person, target }) => person ?? (target || '–')],
            ['Why', ({ target, because }) => [target, because].filter(Boolean).join(', ') || '–', { class: 'break' }],
            ['Way', ({ way }) => way ?? '–'],
            ['State', stateOf],
            ['When', whenOf],
          ]}
        />
      )}
    </Card>
  ))

type Page = RunRecord['pages'][number]

const stepOf = ({ step, round }: Page) => (
  <>
    {step === 0 ? 'again' : step}
    {round > 0 && <div class="quiet">round {round + 1}</div>}
  </>
)

const stateOf = ({ state, detail }: Page) => (
  <>
    <State of={state} />
    {detail !== null && <div class="quiet break">{detail}</div>}
  </>
)

const whenOf = ({ told_at, due_at, settled_at, late_ms }: Page) => (
  <>
    <Time at={told_at ?? due_at ?? settled_at} as={told_at === null && due_at !== null ? 'age' : 'short'} />
    {(told_at ?? due_at ?? settled_at) === null && '–'}
    {late_ms >= LATE_MS && <div class="quiet">{span(late_ms)} late</div>}
  </>
)
