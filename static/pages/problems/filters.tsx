import type { ProblemRecord } from '../../../src/api/noise/problem.ts'
import { SOURCES } from '../../../src/domain/incident.ts'
import { replaceUrl } from '../../app/route.ts'
import { ANY, choices, TypedSearch } from '../../list/choices.tsx'
import { Select } from '../../ui/field.tsx'
import { type Filter, type FilterName, isFiltered, NO_FILTER, problemHref } from './filter.ts'

interface FiltersProps {
  readonly filter: Filter
  readonly rows: readonly ProblemRecord[]
  /** Id of the problem that stays open; '' for none. */
  readonly id: string
}

/** Rows whose severities and services are offered as choices. */
const SEEN = 1_000

export function Filters({ filter, rows, id }: FiltersProps) {
  const set = (name: FilterName, value: string) => replaceUrl(problemHref({ ...filter, [name]: value }, id))
  const seen = rows.slice(0, SEEN)
  const severities = ['critical', 'error', 'warning', 'info', ...seen.map(({ severity }) => severity)]
  return (
    <div class="filters">
      <TypedSearch
        label="Search problems"
        placeholder="Search titles and services"
        value={filter.q}
        change={(q) => set('q', q)}
      />
      <div class="filter-choices">
        <Select
          label="State"
          value={filter.status}
          options={[ANY, ['firing', 'open'], ['resolved', 'over']]}
          onChoose={(value) => set('status', value)}
        />
        <Select
          label="Severity"
          value={filter.severity}
          options={choices(filter.severity, severities)}
          onChoose={(value) => set('severity', value)}
        />
        <Select
          label="Service"
          value={filter.service}
          options={choices(filter.service, seen.map(({ service }) => service).sort())}
          onChoose={(value) => set('service', value)}
        />
        <Select
          label="Source"
          value={filter.source}
          options={choices(filter.source, SOURCES)}
          onChoose={(value) => set('source', value)}
        />
        <Select
          label="Acknowledged"
          value={filter.acknowledged}
          options={[ANY, ['false', 'no'], ['true', 'yes']]}
          onChoose={(value) => set('acknowledged', value)}
        />
        {isFiltered(filter) && (
          <button type="button" class="link-button" onClick={() => replaceUrl(problemHref(NO_FILTER, id))}>
            Clear
          </button>
        )}
      </div>
    </div>
  )
}
