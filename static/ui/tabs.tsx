interface TabsProps<T extends string> {
  readonly label: string
  /** Texts by the ids of the tabs, in their order. */
  readonly tabs: { readonly [id in T]: string }
  /** Numbers beside the texts. */
  readonly counts?: { readonly [id in T]?: number }
  readonly chosen: T
  onChoose(id: T): void
}

/** A choice of one view; the arrow keys go to the next. */
export function Tabs<T extends string>({ label, tabs, counts, chosen, onChoose }: TabsProps<T>) {
  const ids = Object.keys(tabs) as T[]
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = ids[(ids.indexOf(chosen) + step + ids.length) % ids.length]
    if (step === 0 || next === undefined) return
    event.preventDefault()
    onChoose(next)
    const strip = event.currentTarget as HTMLElement
    requestAnimationFrame(() => strip.querySelector<HTMLElement>('[aria-selected="true"]')?.focus())
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
      {ids.map((id) => (
        <button
          key={id}
          type="button"
          role="tab"
          class="tab"
          aria-selected={id === chosen}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {tabs[id]}
          {counts?.[id] !== undefined && <span class="tab-count">{counts[id]}</span>}
        </button>
      ))}
    </div>
  )
}
