import type { IncidentFilter } from '../../src/store/incidents/filters.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { type CaseOptions, measure, type Row, type Tables, type TrialOptions } from '../report.ts'
import { type SeedSize, seeded } from '../seed/seeded.ts'

/** Cost of one list on the store thread, with a large database that is fully indexed. */
export const title = 'search: milliseconds for one list of 50 on the store thread; first: nothing cached'

const PAGE = { limit: 50 }

interface Case {
  readonly size: SeedSize
  readonly runs: number
}

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ size: { incidents: 10_000, pending: 1_000 }, runs: 5 }]
  return [{ size: { incidents: 1_000_000, pending: 100_000 }, runs: 20 }]
}

const LISTS: readonly (readonly [what: string, filter: Omit<IncidentFilter, 'limit'>])[] = [
  ['newest', {}],
  ['status', { status: 'resolved' }],
  ['severity', { severity: 'critical' }],
  ['service, rare', { service: 'service-490' }],
  ['service, none', { service: 'no-such' }],
  ['status, severity and service', { status: 'firing', severity: 'critical', service: 'service-3' }],
  ['a word of all incidents', { q: '"disk"' }],
  ['a word of few incidents', { q: '"host123"' }],
  ['a word of no incident', { q: 'nothinglikethis' }],
  ['a word begun, 3 letters', { q: 'hos' }],
  ['a word begun, 4 letters', { q: 'host' }],
  ['a word begun, 5 letters', { q: 'host1' }],
  ['three words', { q: 'w1a w2b w3c' }],
  ['side by side', { q: '"disk will fill"' }],
  ['words and filters', { q: 'db-123.west', status: 'firing', severity: 'warning' }],
]

export async function run(options: TrialOptions, { size, runs }: Case): Promise<Tables> {
  const dataDir = await seeded(options, size)
  const limits = { maxIncidents: size.incidents, maxBacklog: size.incidents }
  const store = openStore({ dataDir, channels: ['chatws'], ...limits, now: () => Date.now() })
  try {
    const rows = LISTS.flatMap(([what, filter]) => {
      options.progress(what)
      return listed(store, { what, filter }, runs)
    })
    return { [`${title}, ${size.incidents.toLocaleString('en')} incidents`]: rows }
  } finally {
    store.close()
  }
}

interface List {
  readonly what: string
  readonly filter: Omit<IncidentFilter, 'limit'>
}

function listed(store: Store, { what, filter }: List, runs: number): Row[] {
  const [top, page] = row(store, { what, filter }, runs)
  if (page.next_cursor === null) return [top]
  const cursor = String(Math.round(Number(page.next_cursor) / 2))
  return [top, row(store, { what: `${what}: far down`, filter: { ...filter, cursor } }, runs)[0]]
}

function row(store: Store, { what, filter }: List, runs: number): [Row, ReturnType<Store['incidents']['list']>] {
  const { tookMs, page } = timed(store, { ...PAGE, ...filter })
  const times = Array.from({ length: runs }, () => timed(store, { ...PAGE, ...filter }).tookMs)
  const found = page.total_is_exact ? String(page.total) : `${page.total}+`
  return [{ list: what, found, first: measure([tookMs], 2), again: measure(times, 2) }, page]
}

function timed(store: Store, filter: IncidentFilter) {
  const since = performance.now()
  const page = store.incidents.list(filter)
  return { page, tookMs: performance.now() - since }
}
