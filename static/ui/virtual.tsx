import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const OVERSCAN = 10

interface VirtualProps {
  readonly label: string
  readonly count: number
  /** Pixels; the same for all rows. */
  readonly rowHeight: number
  /** Draws one row of those in view and a few beyond; it stands `index` times `rowHeight` from the top. */
  readonly row: (index: number) => VNode
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
export function Virtual({
  label,
  count,
  rowHeight,
  row,
  onNearEnd,
  onScrolled,
  shown = -1,
  initialTop = 0,
}: VirtualProps) {
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
        {Array.from({ length: Math.max(0, last - first) }, (_, at) => row(first + at))}
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
export const rem = (n: number) => n * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
