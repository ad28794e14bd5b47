import { useEffect } from 'preact/hooks'
import type { IncidentPage, IncidentRecord } from '../../../src/api/incident.ts'
import { route } from '../../app/route.ts'
import { queryOf } from '../../list/filter.ts'
import { type LiveList, openLists } from '../../list/live-list.ts'
import { useRowKeys } from '../../list/row-keys.ts'
import { RowList } from '../../list/row-list.tsx'
import { dataVersion } from '../../live/stats.ts'
import { Empty } from '../../ui/empty.tsx'
import { wide } from '../../ui/media.ts'
import { count } from '../../ui/numbers.ts'
import { Views } from '../problems/views.tsx'
import { Detail } from './detail.tsx'
import { FILTERS, type IncidentFilter, IncidentFilters } from './filters.tsx'
import { Row } from './row.tsx'

const listOf = openLists('/api/admin/incidents', (page: IncidentPage) => {
  const { incidents: rows, total, total_is_exact: exact, unapplied, next_cursor: next } = page
  return { rows, total, exact, unapplied, next }
})

/** The list of incidents; the chosen one is shown beside it, on narrow screens in its place. */
export function IncidentsPage() {
  const { rest: id, query } = route.value
  const filter = FILTERS.filterOf(query)
  const list = listOf(queryOf(filter))
  useEffect(() => dataVersion.subscribe(() => void list.refresh()), [list])
  const address = (open: string) => FILTERS.address(filter, open)
  const chosen = useRowKeys({ noun: 'incident', rows: list.rows, open: id, address })
  return (
    <div class={`incidents ${id === '' ? '' : 'incidents-split'}`}>
      {(id === '' || wide.value) && <ListPane list={list} filter={filter} id={id} chosen={chosen} />}
      {id !== '' && <Detail key={id} id={id} back={FILTERS.address(filter)} />}
    </div>
  )
}

interface ListPaneProps {
  readonly list: LiveList<IncidentRecord>
  readonly filter: IncidentFilter
  readonly id: string
  readonly chosen: number
}

function ListPane({ list, filter, id, chosen }: ListPaneProps) {
  const total = list.total.value
  const filtered = FILTERS.isFiltered(filter)
  return (
    <section class="list-pane" aria-label="Incidents">
      <header class="page-head">
        <h1>Incidents</h1>
        {total !== undefined && (
          <p class="quiet">
            {filtered ? `${count(total)}${list.exact.value ? '' : ' or more'} found` : count(total)}
            {list.unapplied.value > 0 && `, ${count(list.unapplied.value)} not listed yet`}
          </p>
        )}
        <Views shown="incidents" />
      </header>
      <IncidentFilters filter={filter} rows={list.rows.value} id={id} />
      {wide.value && id === '' && (total ?? 0) > 0 && <ColumnHeads />}
      <RowList
        key={list.query}
        label="Incidents, newest first"
        list={list}
        total={Math.max(total ?? 0, list.rows.value.length)}
        chosen={chosen}
        alone={id === ''}
        nothing={<Nothing filtered={filtered} />}
        row={(row, place) => <Row key={row.id} of={row} href={FILTERS.address(filter, row.id)} place={place} />}
      />
    </section>
  )
}

/** Column titles; hidden from screen readers, because each row names its values. */
const ColumnHeads = () => (
  <div class="incident-heads" aria-hidden="true">
    {['Severity', 'Incident', 'Service', 'State', 'Channels', 'Received'].map((head) => (
      <span key={head}>{head}</span>
    ))}
  </div>
)

function Nothing({ filtered }: { readonly filtered: boolean }) {
  if (filtered)
    return (
      <Empty icon="search" title="No incident matches">
        <p>Remove a filter, or change the search.</p>
      </Empty>
    )
  const example = `curl -X POST ${location.origin}/api/incidents \\
  -H 'Content-Type: application/json' \\
  -d '{"ServiceName": "ledger", "Logs": "cannot write"}'`
  return (
    <Empty icon="incidents" title="No incident yet">
      <p>Point an alert manager at this service, or send an incident yourself:</p>
      <pre class="example">{example}</pre>
    </Empty>
  )
}
