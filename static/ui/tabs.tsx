interface TabsProps<T extends string> {
  readonly label: string
  readonly tabs: readonly { readonly id: T; readonly text: string; readonly count?: number }[]
  readonly chosen: T
  onChoose(id: T): void
}

/** A choice of one view; the arrow keys go to the next. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose }: TabsProps<T>) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = tabs[(tabs.findIndex(({ id }) => id === chosen) + step + tabs.length) % tabs.length]
    if (step === 0 || next === undefined) return
    event.preventDefault()
    onChoose(next.id)
    const strip = event.currentTarget as HTMLElement
    requestAnimationFrame(() => strip.querySelector<HTMLElement>('[aria-selected="true"]')?.focus())
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
      {tabs.map(({ id, text, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          class="tab"
          aria-selected={id === chosen}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {text}
          {count !== undefined && <span class="tab-count">{count}</span>}
        </button>
      ))}
    </div>
  )
}
