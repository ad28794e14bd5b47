import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { href, navigate, PAGE_NAMES, PAGES } from './route.ts'

interface KeyBinding {
  /** Value of `KeyboardEvent.key`. */
  readonly key: string
  /** Text in the list of keys. */
  readonly description: string
  run(): void
}

/** Time after `g` within which the key of a page leads there. */
const JUMP_MS = 1_500

export const helpShown = signal(false)
/** Keys of the current page. */
export const pageKeys = signal<readonly KeyBinding[]>([])

let jumpBy = 0

/** Listens for keys until the document is closed. */
export function listenForKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || inDialog()) return
    if (isTyping(event.target)) {
      if (event.key === 'Escape') (event.target as HTMLElement).blur()
      return
    }
    if (!isHandledByFocus(event) && handleKey(event.key)) event.preventDefault()
  })
}

const inDialog = () => document.querySelector('dialog[open]') !== null
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** True when the focused link or button handles the key itself. */
const isHandledByFocus = ({ key, target }: KeyboardEvent) =>
  (key === 'Enter' || key === ' ') && target instanceof Element && target.closest('a, button, summary') !== null

/** Handles a key. Returns false when it has no meaning here. */
function handleKey(key: string): boolean {
  const jump = performance.now() < jumpBy ? PAGE_NAMES.find((page) => PAGES[page].key === key) : undefined
  jumpBy = key === 'g' ? performance.now() + JUMP_MS : 0
  if (jump !== undefined) {
    navigate(href(jump))
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

/** Registers keys while the component is mounted. When two components use one key, the first registered wins. */
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
