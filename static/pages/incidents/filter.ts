import { href } from '../../app/route.ts'

/** Filters of the list; the address and the query of the API use the same names. */
export const FILTERS = ['q', 'status', 'severity', 'service', 'channel', 'source', 'told', 'rule', 'digest'] as const
export type FilterName = (typeof FILTERS)[number]
export type Filter = { readonly [name in FilterName]: string }

export const filterOf = (query: URLSearchParams): Filter =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Filter

export const isFiltered = (filter: Filter) => FILTERS.some((name) => filter[name] !== '')

/** Returns the address of the list with a filter, with `id` of one incident in it. */
export const incidentHref = (filter: Filter, id = '') => href('incidents', id, filter)

/** Returns the query string for the API. */
export function queryOf(filter: Filter): string {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString()
}
