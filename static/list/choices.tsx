import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Search } from '../ui/field.tsx'

const TYPING_MS = 250
/** The choice that filters nothing. */
export const ANY = ['', 'any'] as const

/** Returns the choices of a filter: any, the given words without doubles, and the chosen one. */
export function choices(chosen: string, words: readonly string[]): (readonly [string, string])[] {
  const offered = new Set([...words, chosen].filter((word) => word !== ''))
  return [ANY, ...[...offered].map((word) => [word, word] as const)]
}

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
    text.value = next
    clearTimeout(timer.current)
    timer.current = setTimeout(() => change(next.trim()), TYPING_MS)
  }
  return <Search label={label} placeholder={placeholder} value={text.value} onChange={typed} />
}
