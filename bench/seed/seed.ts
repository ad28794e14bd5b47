import { INDEX_SLICE } from '../../actors/store/indexing.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { commitDrafts } from './commit-drafts.ts'
import { draftMaker } from './drafts.ts'

/**
 * Fills a data directory: `seed.ts DIR INCIDENTS PENDING`. So many incidents of a kilobyte, all in the index, the last ones with a pending
 * delivery on a channel that is paused. The index takes them as slowly as the service has it do: in larger slices it would owe merges that a
 * service never does. Tells on standard output, a line each, how far it is.
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
store.write(() => store.channels.pause(PAUSED))
commit(store, done, all)
for (let indexed = 0; ; ) {
  const rows = store.maintenance.index(INDEX_SLICE)
  indexed += rows
  if (rows === 0) break
  if (indexed % (INDEX_SLICE * BATCH) === 0) console.log(`${indexed} of ${all} in the index`)
}
store.close()
