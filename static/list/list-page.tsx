import type { FunctionComponent, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { href, navigate, route } from '../app/route.ts'
import { dataVersion } from '../live/stats.ts'
import { Empty } from '../ui/empty.tsx'
import { wide } from '../ui/media.ts'
import { PageHead } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { type Filters, queryOf } from './filter.ts'
import { FilterBar, type SelectSpec } from './filter-bar.tsx'
import type { ListPage as ListPageOf, LiveList } from './live-list.ts'
import { useRowKeys } from './row-keys.ts'
import { RowList, type RowPlace } from './row-list.tsx'

interface ListedRow {
  readonly id: string | number
  readonly severity: string
  readonly service: string
}

export interface RowProps<Row> {
  readonly of: Row
  readonly href: string
  readonly place: RowPlace
}

export interface DetailProps {
  readonly id: string
  /** Address of the list. */
  readonly back: string
}

interface ListPageProps<Name extends string, Row extends ListedRow> {
  readonly page: 'incidents' | 'problems'
  readonly title: string
  /** Describes the order for screen readers. */
  readonly label: string
  /** One row: `incident`. */
  readonly noun: string
  readonly listOf: (query: string) => LiveList<Row>
  /** Returns the text beside the title. */
  readonly note: (newest: ListPageOf<Row>, filtered: boolean) => string
  /** Returns the number of all rows; -1 when it is not known. */
  readonly total: (list: LiveList<Row>) => number
  readonly heads: readonly string[]
  readonly headsClass?: string
  readonly filters: Filters<Name | 'q'>
  readonly placeholder: string
  readonly selects: readonly SelectSpec<Name>[]
  /** Stands in place of the rows when there are none and nothing is filtered. */
  readonly nothing: VNode
  readonly Row: FunctionComponent<RowProps<Row>>
  readonly Detail: FunctionComponent<DetailProps>
}

/** A filtered list; the chosen row is shown beside it, on narrow screens in its place. */
export function ListPage<Name extends string, Row extends ListedRow>(props: ListPageProps<Name, Row>) {
  const { noun, filters, listOf, Detail } = props
  const { rest: id, query } = route.value
  const filter = filters.filterOf(query)
  const list = listOf(queryOf(filter))
  useEffect(() => dataVersion.subscribe(() => void list.refresh()), [list])
  const address = (open: string) => filters.address(filter, open)
  const ids = () => list.rows.value.map((row) => String(row.id))
  const chosen = useRowKeys({ noun, ids, open: id, address })
  const filtered = filters.isFiltered(filter)
  const noMatch = <Empty icon="search" title={`No ${noun} matches`} text="Remove a filter, or change the search." />
  const rows = list.rows.value
  const alone = id === ''
  return (
    <div class={`incidents ${alone ? '' : 'incidents-split'}`}>
      {(alone || wide.value) && (
        <section class="list-pane stack gap-3" aria-label={props.title}>
          <PageHead
            title={props.title}
            note={list.newest.value && props.note(list.newest.value, filtered)}
            aside={<Views shown={props.page} />}
          />
          <FilterBar {...props} nouns={`${noun}s`} filter={filter} rows={rows} id={id} />
          {wide.value && alone && rows.length > 0 && <Heads of={props.heads} class={props.headsClass} />}
          <RowList
            key={list.query}
            label={props.label}
            list={list}
            total={props.total(list)}
            chosen={chosen}
            alone={alone}
            nothing={filtered ? noMatch : props.nothing}
            row={(row, place) => <props.Row key={row.id} of={row} href={address(String(row.id))} place={place} />}
          />
        </section>
      )}
      {!alone && <Detail key={id} id={id} back={address('')} />}
    </div>
  )
}

/** Column titles; hidden from screen readers, because each row names its values. */
const Heads = ({ of, class: name = '' }: { readonly of: readonly string[]; readonly class: string | undefined }) => (
  <div class={`incident-heads ${name}`} aria-hidden="true">
    {of.map((head) => (
      <span key={head}>{head}</span>
    ))}
  </div>
)

const VIEWS = { problems: 'Problems', incidents: 'Incidents' } as const

/** Leads from the problems to the single incidents and back. */
const Views = ({ shown }: { readonly shown: keyof typeof VIEWS }) => (
  <Tabs label="Lists" tabs={VIEWS} chosen={shown} onChoose={(view) => navigate(href(view))} />
)
