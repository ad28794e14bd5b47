import { href } from '../../app/route.ts'

/** What narrows the list; the names are those of the address and of the service's query. */
export const FILTERS = ['q', 'status', 'severity', 'service', 'channel', 'source'] as const
export type FilterName = (typeof FILTERS)[number]
export type Filter = { readonly [name in FilterName]: string }

export const filterOf = (query: URLSearchParams): Filter =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Filter

export const isFiltered = (filter: Filter) => FILTERS.some((name) => filter[name] !== '')

/** The list, or one incident beside it, under a filter. */
export const incidentHref = (filter: Filter, id = '') => href('incidents', id, filter)

/** The service's query string. */
export function queryOf(filter: Filter): string {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString()
}
