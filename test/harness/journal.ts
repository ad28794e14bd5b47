import { packSubmissions } from '../../src/store/journal/codec.ts'
import { openStore } from '../../src/store/store.ts'
import { draft, START } from '../store/support.ts'

/** Commits one incident for each title and applies none, like a process that dies right after its commits. */
export function commitUnapplied(dataDir: string, titles: readonly string[]): void {
  const limits = { channels: [], maxIncidents: 100, maxBacklog: 100 }
  const store = openStore({ dataDir, ...limits, now: () => START })
  for (const title of titles)
    store.write(() => packSubmissions([{ drafts: [draft({ title })] }]).map((packed) => store.journal.append(packed)))
  store.close()
}
