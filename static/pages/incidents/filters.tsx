import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CHANNEL_NAMES } from '../../../src/domain/delivery.ts'
import { replaceUrl } from '../../app/route.ts'
import { Search, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FILTERS, type Filter, type FilterName, incidentHref, isFiltered } from './filter.ts'
import type { IncidentList } from './list.ts'

const TYPING_MS = 250
const ANY = ['', 'any'] as const
/** Filters that other pages link to. */
const NAMED = [
  ['rule', 'rule'],
  ['digest', 'digest'],
] as const
const NO_FILTER = Object.fromEntries(FILTERS.map((name) => [name, ''])) as Filter

interface FiltersProps {
  readonly filter: Filter
  readonly list: IncidentList
  /** Id of the incident that stays open; '' for none. */
  readonly id: string
}

export function Filters({ filter, list, id }: FiltersProps) {
  const set = (name: FilterName, value: string) => replaceUrl(incidentHref({ ...filter, [name]: value }, id))
  const rows = list.rows.value
  return (
    <div class="filters">
      <Typed value={filter.q} change={(q) => set('q', q)} />
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
            ...rows.slice(0, SEEN).map((row) => row.severity),
          ])}
          onChoose={(value) => set('severity', value)}
        />
        <Select
          label="Service"
          value={filter.service}
          options={choices(
            filter.service,
            rows
              .slice(0, SEEN)
              .map((row) => row.service)
              .sort(),
          )}
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
          options={choices(filter.source, ['webhook', 'topic', 'agent'])}
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

/** Rows whose severities and services are offered as choices. */
const SEEN = 1_000

function choices(chosen: string, words: readonly string[]): (readonly [string, string])[] {
  const offered = new Set([...words, chosen].filter((word) => word !== ''))
  return [ANY, ...[...offered].map((word) => [word, word] as const)]
}

/** A search field that reports its text when no key was pressed for `TYPING_MS`. */
function Typed({ value, change }: { readonly value: string; change(value: string): void }) {
  const text = useSignal(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    text.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const typed = (next: string) => {
    text.value = next
    clearTimeout(timer.current)
    timer.current = setTimeout(() => change(next.trim()), TYPING_MS)
  }
  return (
    <Search label="Search incidents" placeholder="Search titles and payloads" value={text.value} onChange={typed} />
  )
}
