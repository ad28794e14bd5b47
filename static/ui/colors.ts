const NAMES = {
  accent: '--accent',
  bad: '--bad',
  warn: '--warn',
  good: '--good',
  quiet: '--ink-3',
  line: '--line',
} as const

/** The theme's colours as a canvas takes them. */
export type Colors = { readonly [name in keyof typeof NAMES]: string }

/** Of the theme that the system prefers now; the browser resolves them on an element. */
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

/** Calls whenever the system's preference changes; returns what ends that. */
export function onThemeChange(changed: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', changed)
  return () => dark.removeEventListener('change', changed)
}
