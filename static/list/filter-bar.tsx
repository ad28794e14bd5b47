import type { ComponentChildren } from 'preact'
import { SOURCES } from '../../src/domain/incident.ts'
import { replaceUrl } from '../app/route.ts'
import { Select } from '../ui/field.tsx'
import { choices, TypedSearch } from './choices.tsx'
import type { Filter, Filters } from './filter.ts'

/** Rows whose severities and services are offered as choices. */
const SEEN = 1_000

interface FilterBarProps<Name extends string> {
  /** Rows, as the search field calls them: `incidents`. */
  readonly nouns: string
  readonly placeholder: string
  readonly filters: Filters<Name>
  readonly filter: Filter<Name>
  readonly rows: readonly { readonly severity: string; readonly service: string }[]
  /** Id of the row that stays open; '' for none. */
  readonly id: string
  readonly selects: readonly (readonly [name: Name, label: string, options: Options | 'seen'])[]
  readonly children?: ComponentChildren
}

type Options = readonly (readonly [value: string, text: string])[]

/** A search field and a select box for each filter of a list; `seen` offers the words of the rows. */
export function FilterBar<Name extends string>(props: FilterBarProps<Name | 'q'>) {
  const { nouns, placeholder, filters, filter, id, selects, children } = props
  const set = (name: Name | 'q', value: string) => replaceUrl(filters.address({ ...filter, [name]: value }, id))
  const rows = props.rows.slice(0, SEEN)
  const seen: { readonly [name: string]: readonly string[] } = {
    severity: ['critical', 'error', 'warning', 'info', ...rows.map(({ severity }) => severity)],
    service: rows.map(({ service }) => service).sort(),
    source: SOURCES,
  }
  return (
    <div class="filters">
      <TypedSearch label={`Search ${nouns}`} placeholder={placeholder} value={filter.q} change={(q) => set('q', q)} />
      <div class="filter-choices">
        {selects.map(([name, label, options]) => (
          <Select
            key={name}
            label={label}
            value={filter[name]}
            options={options === 'seen' ? choices(filter[name], seen[name] ?? []) : options}
            onChoose={(value) => set(name, value)}
          />
        ))}
        {children}
        {filters.isFiltered(filter) && (
          <button type="button" class="link-button" onClick={() => replaceUrl(filters.address(filters.none, id))}>
            Clear
          </button>
        )}
      </div>
    </div>
  )
}
