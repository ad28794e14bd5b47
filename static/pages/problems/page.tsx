import { useEffect } from 'preact/hooks'
import type { ProblemRecord } from '../../../src/api/noise/problem.ts'
import { href, route } from '../../app/route.ts'
import type { LiveList } from '../../list/live-list.ts'
import { useRowKeys } from '../../list/row-keys.ts'
import { RowList } from '../../list/row-list.tsx'
import { dataVersion } from '../../live/stats.ts'
import { Empty } from '../../ui/empty.tsx'
import { wide } from '../../ui/media.ts'
import { count } from '../../ui/numbers.ts'
import { Detail } from './detail.tsx'
import { type Filter, filterOf, isFiltered, problemHref } from './filter.ts'
import { Filters } from './filters.tsx'
import { listOf } from './list.ts'
import { Row } from './row.tsx'
import { Views } from './views.tsx'

/** The list of problems, open ones first; the chosen one is shown beside it, on narrow screens in its place. */
export function ProblemsPage() {
  const { rest: id, query } = route.value
  const filter = filterOf(query)
  const list = listOf(filter)
  useEffect(() => dataVersion.subscribe(() => void list.refresh()), [list])
  const address = (open: string) => problemHref(filter, open)
  const chosen = useRowKeys({ noun: 'problem', rows: list.rows, open: id, address })
  return (
    <div class={`incidents ${id === '' ? '' : 'incidents-split'}`}>
      {(id === '' || wide.value) && <ListPane list={list} filter={filter} id={id} chosen={chosen} />}
      {id !== '' && <Detail key={id} id={id} back={problemHref(filter)} />}
    </div>
  )
}

interface ListPaneProps {
  readonly list: LiveList<ProblemRecord>
  readonly filter: Filter
  readonly id: string
  readonly chosen: number
}

function ListPane({ list, filter, id, chosen }: ListPaneProps) {
  const open = list.total.value
  const rows = list.rows.value
  return (
    <section class="list-pane" aria-label="Problems">
      <header class="page-head">
        <h1>Problems</h1>
        {open !== undefined && <p class="quiet">{open === 0 ? 'none open' : `${count(open)} open`}</p>}
        <Views shown="problems" />
      </header>
      <Filters filter={filter} rows={rows} id={id} />
      {wide.value && id === '' && rows.length > 0 && <ColumnHeads />}
      <RowList
        key={list.query}
        label="Problems, open ones first"
        list={list}
        total={list.complete ? rows.length : -1}
        chosen={chosen}
        alone={id === ''}
        nothing={<Nothing filtered={isFiltered(filter)} />}
        row={(row, place) => <Row key={row.id} of={row} href={problemHref(filter, String(row.id))} place={place} />}
      />
    </section>
  )
}

/** Column titles; hidden from screen readers, because each row names its values. */
const ColumnHeads = () => (
  <div class="incident-heads problem-heads" aria-hidden="true">
    {['Severity', 'Problem', 'Service', 'State', 'Incidents', 'Last'].map((head) => (
      <span key={head}>{head}</span>
    ))}
  </div>
)

function Nothing({ filtered }: { readonly filtered: boolean }) {
  if (filtered)
    return (
      <Empty icon="search" title="No problem matches">
        <p>Remove a filter, or change the search.</p>
      </Empty>
    )
  return (
    <Empty icon="check" title="No problem">
      <p>
        A problem is all incidents of one fingerprint. Single ones are in the{' '}
        <a href={href('incidents')}>list of incidents</a>.
      </p>
    </Empty>
  )
}
