import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { count } from '../ui/charts/numbers.ts'
import { ErrorPanel, LoadingLines } from '../ui/empty.tsx'
import { wide } from '../ui/media.ts'
import { Virtual, type VirtualPlace } from '../ui/virtual.tsx'
import { FIRST, type LiveList } from './live-list.ts'

/** Position of a row in its list. */
export interface RowPlace extends VirtualPlace {
  readonly index: number
  /** Rows of the whole list; -1 when that is not known. */
  readonly total: number
  /** Uses one line with columns instead of two lines. */
  readonly flat: boolean
  readonly chosen: boolean
}

interface RowListProps<Row extends { readonly id: string | number }> {
  readonly label: string
  readonly list: LiveList<Row>
  readonly total: number
  /** Index of the chosen row; -1 for none. */
  readonly chosen: number
  /** The list has the whole width of the page. */
  readonly alone: boolean
  /** Stands in place of the rows when there are none. */
  readonly nothing: VNode
  row(row: Row, place: RowPlace): VNode
}

const FLAT_REM = 2.75
const FOLDED_REM = 4

/** The rows of a live list. New ones wait behind a button while the reader is not at the top. */
export function RowList<Row extends { readonly id: string | number }>({
  label,
  list,
  total,
  chosen,
  alone,
  nothing,
  row,
}: RowListProps<Row>) {
  const rows = list.rows.value
  const scroller = useRef<HTMLDivElement>(null)
  if (list.error.value && rows.length === 0)
    return <ErrorPanel error={list.error.value} onRetry={() => void list.refresh()} />
  if (list.newest.value === undefined) return <LoadingLines lines={8} />
  if (rows.length === 0) return nothing
  const flat = wide.value && alone
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
        label={label}
        items={rows}
        rowRem={flat ? FLAT_REM : FOLDED_REM}
        shown={chosen}
        initialTop={list.top}
        onScrolled={scrolled}
        onNearEnd={() => void list.more()}
        row={(each, place, index) => row(each, { ...place, index, total, flat, chosen: index === chosen })}
      />
    </div>
  )
}

interface ListRowProps {
  readonly place: RowPlace
  readonly href: string
  readonly class: string
  readonly children: preact.ComponentChildren
}

/** One row of a `RowList`: a link. */
export const ListRow = ({ place, href, class: name, children }: ListRowProps) => (
  <li class={place.class} aria-setsize={place.total} aria-posinset={place.index + 1} style={place.style}>
    <a class={name} href={href} aria-current={place.chosen ? 'true' : undefined}>
      {children}
    </a>
  </li>
)
