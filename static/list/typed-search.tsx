import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Search } from '../ui/field.tsx'

const TYPING_MS = 250

interface TypedSearchProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  change(value: string): void
}

/** A search field that reports its text when no key was pressed for `TYPING_MS`. */
export function TypedSearch({ label, placeholder, value, change }: TypedSearchProps) {
  const text = useSignal(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    text.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const typed = (next: string) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => change(next.trim()), TYPING_MS)
  }
  return <Search label={label} placeholder={placeholder} text={text} typed={typed} />
}
