import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CHANNEL_NAMES } from '../../src/domain/delivery/delivery.ts'
import { SOURCES } from '../../src/domain/incident.ts'
import { replaceUrl } from '../app/route.ts'
import { ANY, type Choice, Search, Select } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Filter, Filters } from './filter.ts'

/** Rows whose severities and services are offered as choices. */
const SEEN = 1_000

/** A select box; without choices it offers the known words and those of the rows. */
export type SelectSpec<Name extends string> = readonly [name: Name, label: string, options?: readonly Choice[]]

interface FilterBarProps<Name extends string> {
  /** Rows, as the search field calls them: `incidents`. */
  readonly nouns: string
  readonly placeholder: string
  readonly filters: Filters<Name | 'q'>
  readonly filter: Filter<Name | 'q'>
  readonly rows: readonly { readonly severity: string; readonly service: string }[]
  /** Id of the row that stays open; '' for none. */
  readonly id: string
  readonly selects: readonly SelectSpec<Name>[]
}

/** A search field, select boxes, and a button to remove each other filter, which an address of another page may set. */
export function FilterBar<Name extends string>(props: FilterBarProps<Name>) {
  const { nouns, placeholder, filters, filter, id, selects } = props
  const set = (name: string, value: string) => replaceUrl(filters.address({ ...filter, [name]: value }, id))
  const rows = props.rows.slice(0, SEEN)
  const seen: { readonly [name: string]: readonly string[] } = {
    severity: ['critical', 'error', 'warning', 'info', ...rows.map(({ severity }) => severity)],
    service: rows.map(({ service }) => service).sort(),
    source: SOURCES,
    channel: CHANNEL_NAMES,
  }
  const shown = new Set<string>(['q', ...selects.map(([name]) => name)])
  const others = Object.entries<string>(filter).filter(([name, value]) => value !== '' && !shown.has(name))
  return (
    <div class="row">
      <TypedSearch label={`Search ${nouns}`} placeholder={placeholder} value={filter.q} change={(q) => set('q', q)} />
      <div class="filter-choices row">
        {selects.map(([name, label, options]) => (
          <Select
            key={name}
            label={label}
            value={filter[name]}
            options={options ?? choices(filter[name], seen[name] ?? [])}
            onChoose={(value) => set(name, value)}
          />
        ))}
        {others.map(([name, value]) => (
          <button key={name} type="button" class="button" onClick={() => set(name, '')}>
            {name} {value}
            <Icon name="close" size={12} />
            <span class="hidden-text">: remove this filter</span>
          </button>
        ))}
        {filters.isFiltered(filter) && (
          <button type="button" class="link-button" onClick={() => replaceUrl(filters.address(filters.none, id))}>
            Clear
          </button>
        )}
      </div>
    </div>
  )
}

/** Returns the choices of a filter: any, the given words without doubles, and the chosen one. */
const choices = (chosen: string, words: readonly string[]): readonly Choice[] => [
  ANY,
  ...new Set([...words, chosen].filter((word) => word !== '')),
]

const TYPING_MS = 250

interface TypedSearchProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  change(value: string): void
}

/** A search field that reports its text when no key was pressed for `TYPING_MS`. */
function TypedSearch({ label, placeholder, value, change }: TypedSearchProps) {
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
