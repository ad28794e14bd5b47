import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { href, navigate, type Page } from './route.ts'

interface KeyBinding {
  /** As `KeyboardEvent.key` says it. */
  readonly key: string
  /** What it does, for the list of keys. */
  readonly description: string
  run(): void
}

/** Second keys of the jumps that begin with `g`. */
export const JUMPS: readonly (readonly [key: string, page: Page])[] = [
  ['o', 'overview'],
  ['i', 'incidents'],
  ['t', 'tail'],
  ['c', 'channels'],
  ['p', 'templates'],
  ['a', 'agent'],
  ['s', 'config'],
]
const JUMP_MS = 1_500

export const helpShown = signal(false)
/** Those of the page that is seen. */
export const pageKeys = signal<readonly KeyBinding[]>([])

let jumpBy = 0

/** Listens for as long as the page lives. */
export function listenForKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || inDialog()) return
    if (isTyping(event.target)) {
      if (event.key === 'Escape') (event.target as HTMLElement).blur()
      return
    }
    if (!presses(event) && pressed(event.key)) event.preventDefault()
  })
}

const inDialog = () => document.querySelector('dialog[open]') !== null
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** The key is for what has the focus: a link or a button takes Enter and Space for itself. */
const presses = ({ key, target }: KeyboardEvent) =>
  (key === 'Enter' || key === ' ') && target instanceof Element && target.closest('a, button, summary') !== null

/** True: the key meant something. */
function pressed(key: string): boolean {
  const jump = performance.now() < jumpBy ? JUMPS.find(([second]) => second === key) : undefined
  jumpBy = key === 'g' ? performance.now() + JUMP_MS : 0
  if (jump !== undefined) {
    navigate(href(jump[1]))
    return true
  }
  if (key === '?') helpShown.value = true
  else if (key === '/') return focusSearch()
  else {
    const binding = pageKeys.peek().find((each) => each.key === key)
    binding?.run()
    return binding !== undefined
  }
  return true
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.focus()
  field?.select()
  return field !== null
}

/** Keys that mean something while the component is there; the first component of a page says which. */
export function usePageKeys(bindings: readonly KeyBinding[]): void {
  const current = useRef(bindings)
  current.current = bindings
  useEffect(() => {
    const live = bindings.map(({ key, description }) => ({
      key,
      description,
      run: () => current.current.find((each) => each.key === key)?.run(),
    }))
    pageKeys.value = [...pageKeys.peek(), ...live]
    return () => {
      pageKeys.value = pageKeys.peek().filter((each) => !live.includes(each))
    }
  }, [])
}
