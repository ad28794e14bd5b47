import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const OVERSCAN = 10

interface VirtualProps {
  readonly label: string
  readonly count: number
  /** Pixels; all rows have the same. */
  readonly rowHeight: number
  /** Drawn for the rows in sight and a few beyond, at `top` pixels. */
  readonly row: (index: number) => VNode
  /** Told when the last row comes near. */
  readonly onNearEnd?: () => void
  /** Told how far from the top the list is scrolled, in pixels. */
  readonly onScrolled?: (top: number) => void
  /** Brought into sight whenever it changes; -1: none. */
  readonly shown?: number
  /** Where it starts. */
  readonly initialTop?: number
}

interface Window {
  readonly top: number
  readonly height: number
}

/** A list of any length of which only what is in sight is in the document. */
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

/** Pixels of so many rem. */
export const rem = (n: number) => n * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
