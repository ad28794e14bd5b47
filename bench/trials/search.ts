import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IncidentFilter, IncidentPage } from '../../src/store/contract.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { draftMaker } from '../drafts.ts'
import { median, type Row, type TrialOptions } from '../report.ts'

/** What one list costs the store's thread, on a database of so many incidents of a kilobyte, all of them in the index. */
export const title = 'search: milliseconds of one list of 50; first: with nothing of it read before'

const INCIDENTS = 1_000_000
const QUICK_INCIDENTS = 100_000
const BATCH = 1_000
/** As the service takes them. */
const SLICE = 32
const RUNS = 20
const PAGE = { limit: 50 }

const LISTS: readonly (readonly [what: string, filter: Omit<IncidentFilter, 'limit'>])[] = [
  ['newest', {}],
  ['status', { status: 'resolved' }],
  ['severity', { severity: 'critical' }],
  ['service, rare', { service: 'service-490' }],
  ['service, none', { service: 'no-such' }],
  ['status, severity and service', { status: 'firing', severity: 'critical', service: 'service-3' }],
  ['a word of all', { q: '"disk"' }],
  ['a word of few', { q: '"host123"' }],
  ['a word of none', { q: 'nothinglikethis' }],
  ['a word begun, 3 letters', { q: 'hos' }],
  ['a word begun, 4 letters', { q: 'host' }],
  ['a word begun, 5 letters', { q: 'host1' }],
  ['three words', { q: 'w1a w2b w3c' }],
  ['side by side', { q: '"disk will fill"' }],
  ['words and filters', { q: 'db-123.west', status: 'firing', severity: 'warning' }],
]

export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-bench-search-'))
  const count = quick ? QUICK_INCIDENTS : INCIDENTS
  try {
    const options = { dataDir, channels: [], maxIncidents: count, maxBacklog: count, now: () => Date.now() }
    const built = build(openStore(options), count, progress)
    const store = openStore(options)
    const rows = LISTS.flatMap(([what, filter]) => listed(store, what, filter))
    store.close()
    return [...built, ...rows]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function build(store: Store, count: number, progress: TrialOptions['progress']): Row[] {
  const draft = draftMaker()
  for (let n = 0; n < count; n += BATCH) {
    const drafts = Array.from({ length: BATCH }, (_, at) => draft(n + at))
    store.write(() => store.commit({ drafts }, () => false))
    progress(`${n} incidents`)
  }
  const slices: number[] = []
  const began = performance.now()
  for (let rows = 1; rows > 0; ) {
    const since = performance.now()
    rows = store.index(SLICE)
    slices.push(performance.now() - since)
    if (slices.length % 100 === 0) progress(`${SLICE * slices.length} in the index`)
  }
  const perIncident = ((performance.now() - began) * 1_000) / count
  store.close()
  return [
    {
      list: `indexing, ${SLICE} of ${count} at a time (${perIncident.toFixed(0)} us each)`,
      found: count,
      first: '',
      median: median(slices).toFixed(2),
      worst: largest(slices).toFixed(2),
    },
  ]
}

function listed(store: Store, what: string, filter: Omit<IncidentFilter, 'limit'>): Row[] {
  const [top, page] = row(store, what, { ...PAGE, ...filter })
  if (page.next_cursor === null) return [top]
  const cursor = String(Math.round(Number(page.next_cursor) / 2))
  return [top, row(store, `${what}: far down`, { ...PAGE, ...filter, cursor })[0]]
}

function row(store: Store, list: string, filter: IncidentFilter): [Row, IncidentPage] {
  const { took: first, page } = timed(store, filter)
  const times = Array.from({ length: RUNS }, () => timed(store, filter).took)
  const found = page.total_is_exact ? String(page.total) : `${page.total}+`
  const [usual, worst] = [median(times), largest(times)]
  return [{ list, found, first: first.toFixed(2), median: usual.toFixed(2), worst: worst.toFixed(2) }, page]
}

const largest = (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value), 0)

function timed(store: Store, filter: IncidentFilter) {
  const since = performance.now()
  const page = store.incidents(filter)
  return { page, took: performance.now() - since }
}
