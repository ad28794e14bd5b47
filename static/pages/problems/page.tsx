import { useEffect } from 'preact/hooks'
import type { ProblemPage, ProblemRecord } from '../../../src/api/noise/problem.ts'
import { href, route } from '../../app/route.ts'
import { ANY } from '../../list/choices.tsx'
import { openFilters, queryOf } from '../../list/filter.ts'
import { FilterBar } from '../../list/filter-bar.tsx'
import { type LiveList, openLists } from '../../list/live-list.ts'
import { useRowKeys } from '../../list/row-keys.ts'
import { RowList } from '../../list/row-list.tsx'
import { dataVersion } from '../../live/stats.ts'
import { Empty } from '../../ui/empty.tsx'
import { wide } from '../../ui/media.ts'
import { count } from '../../ui/numbers.ts'
import { Detail } from './detail.tsx'
import { Row } from './row.tsx'
import { Views } from './views.tsx'

const FILTERS = openFilters('problems', ['q', 'status', 'severity', 'service', 'source', 'acknowledged'])

/** Lists of problems, open ones first; `total` is the number of all open ones. */
const listOf = openLists('/api/admin/problems', ({ problems: rows, firing, next_cursor }: ProblemPage) => ({
  rows,
  total: firing,
  exact: true,
  unapplied: 0,
  next: next_cursor,
}))

/** The list of problems, open ones first; the chosen one is shown beside it, on narrow screens in its place. */
export function ProblemsPage() {
  const { rest: id, query } = route.value
  const filter = FILTERS.filterOf(query)
  const list = listOf(queryOf(filter))
  useEffect(() => dataVersion.subscribe(() => void list.refresh()), [list])
  const address = (open: string) => FILTERS.address(filter, open)
  const chosen = useRowKeys({ noun: 'problem', rows: list.rows, open: id, address })
  return (
    <div class={`incidents ${id === '' ? '' : 'incidents-split'}`}>
      {(id === '' || wide.value) && <ListPane list={list} filter={filter} id={id} chosen={chosen} />}
      {id !== '' && <Detail key={id} id={id} back={FILTERS.address(filter)} />}
    </div>
  )
}

interface ListPaneProps {
  readonly list: LiveList<ProblemRecord>
  readonly filter: ReturnType<typeof FILTERS.filterOf>
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
      <FilterBar
        nouns="problems"
        placeholder="Search titles and services"
        filters={FILTERS}
        filter={filter}
        rows={rows}
        id={id}
        selects={[
          ['status', 'State', [ANY, ['firing', 'open'], ['resolved', 'over']]],
          ['severity', 'Severity', 'seen'],
          ['service', 'Service', 'seen'],
          ['source', 'Source', 'seen'],
          ['acknowledged', 'Acknowledged', [ANY, ['false', 'no'], ['true', 'yes']]],
        ]}
      />
      {wide.value && id === '' && rows.length > 0 && <ColumnHeads />}
      <RowList
        key={list.query}
        label="Problems, open ones first"
        list={list}
        total={list.complete ? rows.length : -1}
        chosen={chosen}
        alone={id === ''}
        nothing={<Nothing filtered={FILTERS.isFiltered(filter)} />}
        row={(row, place) => <Row key={row.id} of={row} href={FILTERS.address(filter, String(row.id))} place={place} />}
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
