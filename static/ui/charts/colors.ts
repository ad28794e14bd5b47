const NAMES = {
  accent: '--accent',
  bad: '--bad',
  warn: '--warn',
  good: '--good',
  quiet: '--ink-3',
  line: '--line',
} as const

/** Colours of the theme in a form that a canvas understands. */
export type Colors = { readonly [name in keyof typeof NAMES]: string }

/** Resolves the colours of the current theme, which only an element in the document can do. */
export function themeColors(): Colors {
  const probe = document.createElement('span')
  document.body.append(probe)
  const resolved = Object.entries(NAMES).map(([name, property]) => {
    probe.style.color = `var(${property})`
    return [name, getComputedStyle(probe).color]
  })
  probe.remove()
  return Object.fromEntries(resolved) as Colors
}

/** Calls `changed` when the system switches between light and dark. Returns a function that ends this. */
export function onThemeChange(changed: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', changed)
  return () => dark.removeEventListener('change', changed)
}
