import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { usePageKeys } from '../../app/keys.ts'
import { navigate, replaceUrl, route } from '../../app/route.ts'
import { dataVersion } from '../../live/stats.ts'
import { Empty, ErrorPanel, LoadingLines } from '../../ui/empty.tsx'
import { wide } from '../../ui/media.ts'
import { count } from '../../ui/numbers.ts'
import { rem, Virtual } from '../../ui/virtual.tsx'
import { Detail } from './detail.tsx'
import { type Filter, filterOf, incidentHref, isFiltered, queryOf } from './filter.ts'
import { Filters } from './filters.tsx'
import { FIRST, type IncidentList, listOf } from './list.ts'
import { Row } from './row.tsx'

/** The list of incidents; the chosen one is shown beside it, on narrow screens in its place. */
export function IncidentsPage() {
  const { rest: id, query } = route.value
  const filter = filterOf(query)
  const list = listOf(queryOf(filter))
  useEffect(() => dataVersion.subscribe(() => void list.refresh()), [list])
  const cursor = useSignal(-1)
  const move = (step: number) => {
    const rows = list.rows.peek()
    const from = id === '' ? cursor.peek() : rows.findIndex((row) => row.id === id)
    const at = Math.max(0, Math.min(rows.length - 1, from + step))
    const row = rows[at]
    if (row === undefined) return
    cursor.value = at
    if (id !== '') replaceUrl(incidentHref(filter, row.id))
  }
  usePageKeys([
    { key: 'j', description: 'Next incident', run: () => move(1) },
    { key: 'k', description: 'Previous incident', run: () => move(-1) },
    {
      key: 'Enter',
      description: 'Open the incident',
      run: () => {
        const row = list.rows.peek()[cursor.peek()]
        if (row !== undefined) navigate(incidentHref(filter, row.id))
      },
    },
    { key: 'Escape', description: 'Back to the list', run: () => id !== '' && navigate(incidentHref(filter)) },
  ])
  return (
    <div class={`incidents ${id === '' ? '' : 'incidents-split'}`}>
      {(id === '' || wide.value) && <ListPane list={list} filter={filter} id={id} cursor={cursor.value} />}
      {id !== '' && <Detail key={id} id={id} back={incidentHref(filter)} />}
    </div>
  )
}

interface ListPaneProps {
  readonly list: IncidentList
  readonly filter: Filter
  readonly id: string
  readonly cursor: number
}

function ListPane({ list, filter, id, cursor }: ListPaneProps) {
  const total = list.total.value
  return (
    <section class="list-pane" aria-label="Incidents">
      <header class="page-head">
        <h1>Incidents</h1>
        {total !== undefined && (
          <p class="quiet">
            {isFiltered(filter) ? `${count(total)}${list.exact.value ? '' : ' or more'} found` : count(total)}
            {list.unapplied.value > 0 && `, ${count(list.unapplied.value)} not listed yet`}
          </p>
        )}
      </header>
      <Filters filter={filter} list={list} id={id} />
      {wide.value && id === '' && (total ?? 0) > 0 && <ColumnHeads />}
      <ListBody key={list.query} {...{ list, filter, id, cursor }} />
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

const FLAT_REM = 2.75
const FOLDED_REM = 4

function ListBody({ list, filter, id, cursor }: ListPaneProps) {
  const rows = list.rows.value
  const scroller = useRef<HTMLDivElement>(null)
  if (list.error.value && rows.length === 0)
    return <ErrorPanel error={list.error.value} onRetry={() => void list.refresh()} />
  if (list.total.value === undefined) return <LoadingLines lines={8} />
  if (rows.length === 0) return <Nothing filtered={isFiltered(filter)} />
  const flat = wide.value && id === ''
  const height = Math.round(rem(flat ? FLAT_REM : FOLDED_REM))
  const chosen = id === '' ? cursor : rows.findIndex((row) => row.id === id)
  const scrolled = (top: number) => {
    list.top = top
    if (top === 0) list.showUnseen()
  }
  const toTop = () => {
    list.showUnseen()
    scroller.current?.querySelector('.virtual')?.scrollTo({ top: 0 })
  }
  return (
    <div class="list-body" ref={scroller}>
      {list.unseen.value > 0 && (
        <button type="button" class="unseen" onClick={toTop}>
          {count(list.unseen.value)}
          {list.unseen.value === FIRST && ' or more'} new
        </button>
      )}
      <Virtual
        label="Incidents, newest first"
        count={rows.length}
        rowHeight={height}
        shown={chosen}
        initialTop={list.top}
        onScrolled={scrolled}
        onNearEnd={() => void list.more()}
        row={(at) => {
          const row = rows[at]
          if (row === undefined) return <li key={at} />
          return (
            <Row
              key={row.id}
              of={row}
              href={incidentHref(filter, row.id)}
              place={at}
              total={Math.max(list.total.value ?? 0, rows.length)}
              top={at * height}
              height={height}
              flat={flat}
              chosen={at === chosen}
            />
          )
        }}
      />
    </div>
  )
}

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
