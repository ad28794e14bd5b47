import { openStore } from '../../../src/store/store.ts'
import { draft, entriesFor, turn } from '../support.ts'

/**
 * Applies repeats and resolutions until it is killed: `node killed-writer.ts FOLDER`. Tells its parent when only memory has
 * added some, after several writes.
 */
const [, , dataDir = ''] = process.argv
const store = openStore({ dataDir, channels: ['chatws'], maxIncidents: 100_000, maxBacklog: 100_000, now: Date.now })
let written = 0
for (let round = 0; ; round++) {
  const drafts = Array.from({ length: 20 }, (_, nth) => {
    const [fingerprint, status] = [`f${(round + nth) % 7}`, (round * nth) % 11 === 10 ? 'resolved' : 'firing'] as const
    return draft({ id: `${process.pid}-${round}-${nth}`, sender: 'grouped_alerts', fingerprint, status })
  })
  turn(store, { entries: entriesFor(store, [{ drafts }], Date.now()) })
  const { problemLag } = store.status.state()
  if (problemLag === 0) written++
  if (written > 1 && problemLag === 60) process.send?.(written)
}
