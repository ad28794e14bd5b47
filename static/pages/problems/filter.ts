import { href } from '../../app/route.ts'

/** Filters of the list; the address and the query of the API use the same names. */
const FILTERS = ['q', 'status', 'severity', 'service', 'source', 'acknowledged'] as const
export type FilterName = (typeof FILTERS)[number]
export type Filter = { readonly [name in FilterName]: string }

export const NO_FILTER = Object.fromEntries(FILTERS.map((name) => [name, ''])) as Filter

export const filterOf = (query: URLSearchParams): Filter =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Filter

export const isFiltered = (filter: Filter) => FILTERS.some((name) => filter[name] !== '')

/** Returns the address of the list with a filter, with `id` of one problem in it. */
export const problemHref = (filter: Filter, id = '') => href('problems', id, filter)
