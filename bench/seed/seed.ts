import { INDEX_SLICE } from '../../actors/store/indexing.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { commitDrafts } from './commit-drafts.ts'
import { draftMaker } from './drafts.ts'

/**
 * Fills a data directory: `seed.ts DIR INCIDENTS PENDING`. All incidents are in the full-text index; the last PENDING
 * ones have a pending delivery on a paused channel. The index grows in the slices of the service: larger slices would
 * leave merges undone that the service does at once. Prints its progress, one line each.
 */
const [dataDir = '', incidents = '0', pending = '0'] = process.argv.slice(2)
const all = Number(incidents)
const done = all - Number(pending)
const BATCH = 1_000
const PAUSED = 'chatws'

const draft = draftMaker()
const limits = { dataDir, maxIncidents: all + 1, maxBacklog: all + 1, now: () => Date.now() }

function commit(store: Store, from: number, to: number): void {
  for (let n = from; n < to; n += BATCH) {
    const drafts = Array.from({ length: Math.min(BATCH, to - n) }, (_, at) => draft(n + at))
    commitDrafts(store, drafts)
    if (n % (BATCH * 10) === 0) console.log(`${n} of ${all} incidents`)
  }
}

const finished = openStore({ ...limits, channels: [] })
commit(finished, 0, done)
finished.close()
const store = openStore({ ...limits, channels: [PAUSED] })
store.channels.pause(PAUSED)
commit(store, done, all)
for (let indexed = 0; ; ) {
  const rows = store.maintenance.index(INDEX_SLICE)
  indexed += rows
  if (rows === 0) break
  if (indexed % (INDEX_SLICE * BATCH) === 0) console.log(`${indexed} of ${all} in the index`)
}
store.close()
