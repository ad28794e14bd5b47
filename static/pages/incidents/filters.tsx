import type { IncidentRecord } from '../../../src/api/incident.ts'
import { CHANNEL_NAMES } from '../../../src/domain/delivery.ts'
import { SOURCES } from '../../../src/domain/incident.ts'
import { replaceUrl } from '../../app/route.ts'
import { ANY, choices, TypedSearch } from '../../list/choices.tsx'
import type { LiveList } from '../../list/live-list.ts'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FILTERS, type Filter, type FilterName, incidentHref, isFiltered } from './filter.ts'

/** Filters that other pages link to. */
const NAMED = [
  ['rule', 'rule'],
  ['digest', 'digest'],
] as const
/** Rows whose severities and services are offered as choices. */
const SEEN = 1_000
const NO_FILTER = Object.fromEntries(FILTERS.map((name) => [name, ''])) as Filter

interface FiltersProps {
  readonly filter: Filter
  readonly list: LiveList<IncidentRecord>
  /** Id of the incident that stays open; '' for none. */
  readonly id: string
}

export function Filters({ filter, list, id }: FiltersProps) {
  const set = (name: FilterName, value: string) => replaceUrl(incidentHref({ ...filter, [name]: value }, id))
  const rows = list.rows.value.slice(0, SEEN)
  return (
    <div class="filters">
      <TypedSearch
        label="Search incidents"
        placeholder="Search titles and payloads"
        value={filter.q}
        change={(q) => set('q', q)}
      />
      <div class="filter-choices">
        <Select
          label="Status"
          value={filter.status}
          options={[ANY, ['firing', 'firing'], ['resolved', 'resolved']]}
          onChoose={(value) => set('status', value)}
        />
        <Select
          label="Severity"
          value={filter.severity}
          options={choices(filter.severity, [
            'critical',
            'error',
            'warning',
            'info',
            ...rows.map((row) => row.severity),
          ])}
          onChoose={(value) => set('severity', value)}
        />
        <Select
          label="Service"
          value={filter.service}
          options={choices(filter.service, rows.map((row) => row.service).sort())}
          onChoose={(value) => set('service', value)}
        />
        <Select
          label="Channel"
          value={filter.channel}
          options={choices(filter.channel, CHANNEL_NAMES)}
          onChoose={(value) => set('channel', value)}
        />
        <Select
          label="Source"
          value={filter.source}
          options={choices(filter.source, SOURCES)}
          onChoose={(value) => set('source', value)}
        />
        <Select
          label="Told"
          value={filter.told}
          options={[
            ANY,
            ['single', 'in a message of its own'],
            ['digest', 'in a digest'],
            ['waiting', 'not yet'],
            ['silenced', 'no, silenced'],
            ['nobody', 'to nobody'],
          ]}
          onChoose={(value) => set('told', value)}
        />
        {NAMED.map(
          ([name, text]) =>
            filter[name] !== '' && (
              <button key={name} type="button" class="button" onClick={() => set(name, '')}>
                {text} {filter[name]}
                <Icon name="close" size={12} />
                <span class="hidden-text">: remove this filter</span>
              </button>
            ),
        )}
        {isFiltered(filter) && (
          <button type="button" class="link-button" onClick={() => replaceUrl(incidentHref(NO_FILTER, id))}>
            Clear
          </button>
        )}
      </div>
    </div>
  )
}
