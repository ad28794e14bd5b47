import assert from 'node:assert/strict'
import { encodeFrame } from '../../src/domain/frame.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { openStore } from '../../src/store/store.ts'
import { START } from '../store/support.ts'

/** Commits one incident for each title and applies none, like a process that dies right after its commits. */
export function commitUnapplied(dataDir: string, titles: readonly string[]): void {
  const limits = { channels: [], maxIncidents: 100, maxBacklog: 100 }
  const store = openStore({ dataDir, ...limits, now: () => START })
  const { released } = store.journal.progress()
  store.close()
  const { journal } = openJournal({ dataDir, released, now: () => START, damaged: (what) => assert.fail(what) })
  for (const title of titles) {
    const body = new TextEncoder().encode(JSON.stringify({ title }))
    journal.append([encodeFrame({ receivedAt: [START], counts: [1], lengths: [body.length], options: [] }, body)])
  }
  journal.close()
}
