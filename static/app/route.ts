import { computed, signal } from '@preact/signals'

/** The pages in the order of their links; `key` leads there after `g`. */
export const PAGES = {
  overview: { title: 'Overview', key: 'o' },
  problems: { title: 'Problems', key: 'i' },
  incidents: { title: 'Incidents', key: 'e' },
  tail: { title: 'Live tail', key: 't' },
  noise: { title: 'Noise', key: 'n' },
  silences: { title: 'Silences', key: 'l' },
  heartbeats: { title: 'Heartbeats', key: 'b' },
  oncall: { title: 'On-call', key: 'd' },
  routes: { title: 'Routes', key: 'r' },
  rehearsal: { title: 'Rehearsal', key: 'h' },
  channels: { title: 'Channels', key: 'c' },
  templates: { title: 'Templates', key: 'p' },
  agent: { title: 'Agent', key: 'a' },
  config: { title: 'Configuration', key: 's' },
  digests: { title: 'Digest', key: '' },
} as const
export type Page = keyof typeof PAGES
export const PAGE_NAMES = Object.keys(PAGES) as Page[]

/** The address after the `#`, parsed: `#/page/rest?query`. */
interface Route {
  readonly page: Page
  /** The decoded text after the page, such as an incident's id; '' when there is none. */
  readonly rest: string
  readonly query: URLSearchParams
}

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

export const route = computed(() => routeOf(hash.value))

function routeOf(text: string): Route {
  const [path = '', query = ''] = text.replace(/^#\/?/, '').split('?', 2)
  const [name, ...rest] = path.split('/')
  const page = PAGE_NAMES.find((each) => each === name) ?? 'overview'
  return { page, rest: decoded(rest.join('/')), query: new URLSearchParams(query) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the address of a page; parameters that are '' are left out. */
export function href(page: Page, rest = '', query: { readonly [name: string]: string } = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const search = new URLSearchParams(given).toString()
  return `#/${page}${rest === '' ? '' : `/${encodeURIComponent(rest)}`}${search === '' ? '' : `?${search}`}`
}

export function navigate(to: string): void {
  location.hash = to
}

/** Changes the address without an entry in the browser's history. */
export function replaceUrl(to: string): void {
  history.replaceState(null, '', to)
  hash.value = location.hash
}
