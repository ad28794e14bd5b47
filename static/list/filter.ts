import { href } from '../app/route.ts'

/** Values of the filters of a list by name; '' filters nothing. */
export type Filter<Name extends string> = { readonly [name in Name]: string }

/** Opens the filters of the list on a page; the address of the page and the query of the API use the same names. */
export function openFilters<const Name extends string>(page: 'incidents' | 'problems', names: readonly Name[]) {
  const filterOf = (query: URLSearchParams) =>
    Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Filter<Name>
  return {
    filterOf,
    none: filterOf(new URLSearchParams()),
    isFiltered: (filter: Filter<Name>) => names.some((name) => filter[name] !== ''),
    /** Returns the address of the list with a filter, with `id` of one row in it. */
    address: (filter: Filter<Name>, id = '') => href(page, id, filter),
  }
}
export type Filters<Name extends string> = ReturnType<typeof openFilters<Name>>

/** Returns the query string of a filter for the API. */
export const queryOf = (filter: Filter<string>): string =>
  new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString()
