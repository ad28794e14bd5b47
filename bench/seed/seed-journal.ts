import { createIdMaker } from '../../src/intake/id.ts'
import { packSubmissions } from '../../src/store/journal/codec.ts'
import { openStore } from '../../src/store/store.ts'
import { draftMaker } from './drafts.ts'

const DISTINCT = 1_000
const BATCH = 2_000

/** Fills a data directory with incidents of a kilobyte that are committed and not applied, like a kill in a flood. */
export function seedJournal(dataDir: string, incidents: number): void {
  const limits = { channels: [], maxIncidents: incidents, maxBacklog: incidents }
  const store = openStore({ dataDir, ...limits, now: () => Date.now() })
  const newId = createIdMaker(() => Date.now())
  const make = draftMaker()
  const distinct = Array.from({ length: DISTINCT }, (_, n) => make(n))
  for (let done = 0; done < incidents; done += BATCH) {
    const drafts = Array.from({ length: Math.min(BATCH, incidents - done) }, (_, n) => distinct[(done + n) % DISTINCT])
    const submissions = drafts.flatMap((draft) => (draft ? [{ drafts: [{ ...draft, id: newId() }] }] : []))
    store.write(() => packSubmissions(submissions).map((packed) => store.journal.append(packed)))
  }
  store.close()
}
