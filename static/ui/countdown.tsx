import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { span } from './time.tsx'

const TICK_MS = 1_000
const second = signal(Date.now())
let shown = 0
let timer: ReturnType<typeof setInterval> | undefined

/** The time until `at` (ISO 8601), counted down every second; `now` from then on. */
export function Countdown({ at }: { readonly at: string }) {
  useEffect(() => {
    if (shown++ === 0) timer = setInterval(() => (second.value = Date.now()), TICK_MS)
    return () => {
      if (--shown === 0) clearInterval(timer)
    }
  }, [])
  second.value
  const leftMs = Math.ceil((Date.parse(at) - Date.now()) / TICK_MS) * TICK_MS
  return <time dateTime={at}>{leftMs > 0 ? `in ${span(leftMs)}` : 'now'}</time>
}
