import type { IncidentRecord } from '../../../src/api/incident.ts'
import { CHANNEL_NAMES } from '../../../src/domain/delivery.ts'
import { replaceUrl } from '../../app/route.ts'
import { ANY, choices } from '../../list/choices.tsx'
import { openFilters } from '../../list/filter.ts'
import { FilterBar } from '../../list/filter-bar.tsx'
import { Icon } from '../../ui/icon.tsx'

export const FILTERS = openFilters('incidents', [
  'q',
  'status',
  'severity',
  'service',
  'channel',
  'source',
  'told',
  'rule',
  'digest',
])
export type IncidentFilter = ReturnType<typeof FILTERS.filterOf>

/** Filters that other pages link to. */
const NAMED = ['rule', 'digest'] as const
const TOLD = [
  ANY,
  ['single', 'in a message of its own'],
  ['digest', 'in a digest'],
  ['waiting', 'not yet'],
  ['silenced', 'no, silenced'],
  ['nobody', 'to nobody'],
] as const

interface IncidentFiltersProps {
  readonly filter: IncidentFilter
  readonly rows: readonly IncidentRecord[]
  /** Id of the incident that stays open; '' for none. */
  readonly id: string
}

export const IncidentFilters = ({ filter, rows, id }: IncidentFiltersProps) => (
  <FilterBar
    nouns="incidents"
    placeholder="Search titles and payloads"
    filters={FILTERS}
    filter={filter}
    rows={rows}
    id={id}
    selects={[
      ['status', 'Status', [ANY, ['firing', 'firing'], ['resolved', 'resolved']]],
      ['severity', 'Severity', 'seen'],
      ['service', 'Service', 'seen'],
      ['channel', 'Channel', choices(filter.channel, CHANNEL_NAMES)],
      ['source', 'Source', 'seen'],
      ['told', 'Told', TOLD],
    ]}
  >
    {NAMED.map(
      (name) =>
        filter[name] !== '' && (
          <button
            key={name}
            type="button"
            class="button"
            onClick={() => replaceUrl(FILTERS.address({ ...filter, [name]: '' }, id))}
          >
            {name} {filter[name]}
            <Icon name="close" size={12} />
            <span class="hidden-text">: remove this filter</span>
          </button>
        ),
    )}
  </FilterBar>
)
