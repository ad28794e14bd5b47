import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const OVERSCAN = 10

/** Position of a row, as attributes of its element. */
export interface VirtualPlace {
  readonly class: string
  readonly style: { readonly transform: string; readonly height: string }
}

interface VirtualProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  /** Rem; the same for all rows. */
  readonly rowRem: number
  /** Draws one row of those in view and a few beyond. */
  readonly row: (item: Item, place: VirtualPlace, index: number) => VNode
  /** Called when the last row comes near the view. */
  readonly onNearEnd?: () => void
  /** Called with the scroll position in pixels. */
  readonly onScrolled?: (top: number) => void
  /** Index of a row that is scrolled into view when it changes; -1 for none. */
  readonly shown?: number
  /** Scroll position in pixels at first. */
  readonly initialTop?: number
}

interface Window {
  readonly top: number
  readonly height: number
}

/** A list of any length; only the rows in view are in the document. */
export function Virtual<Item>({
  label,
  items,
  rowRem,
  row,
  onNearEnd,
  onScrolled,
  shown = -1,
  initialTop = 0,
}: VirtualProps<Item>) {
  const count = items.length
  const rowHeight = Math.round(rem(rowRem))
  const ref = useRef<HTMLDivElement>(null)
  const [{ top, height }, setWindow] = useState<Window>({ top: initialTop, height: 800 })
  useLayoutEffect(() => {
    const list = ref.current
    if (list === null) return undefined
    list.scrollTop = initialTop
    const measure = () => setWindow({ top: list.scrollTop, height: list.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    return () => observer.disconnect()
  }, [])
  useEffect(() => reveal(ref.current, shown * rowHeight, rowHeight), [shown, rowHeight])
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN)
  const nearEnd = last >= count - OVERSCAN
  useEffect(() => {
    if (nearEnd) onNearEnd?.()
  }, [nearEnd, count])
  const scrolled = ({ currentTarget }: { readonly currentTarget: HTMLDivElement }) => {
    setWindow({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
    onScrolled?.(currentTarget.scrollTop)
  }
  return (
    <div ref={ref} class="virtual" onScroll={scrolled}>
      <ul class="virtual-rows" aria-label={label} style={{ height: `${count * rowHeight}px` }}>
        {items.slice(first, last).map((item, nth) => {
          const at = first + nth
          const style = { transform: `translateY(${at * rowHeight}px)`, height: `${rowHeight}px` }
          return row(item, { class: 'virtual-row', style }, at)
        })}
      </ul>
    </div>
  )
}

function reveal(list: HTMLDivElement | null, top: number, height: number): void {
  if (list === null || top < 0) return
  if (top < list.scrollTop) list.scrollTop = top
  else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight
}

/** Converts rem to pixels. */
const rem = (n: number) => n * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
