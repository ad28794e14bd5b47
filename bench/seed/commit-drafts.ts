import type { Draft } from '../../src/domain/incident.ts'
import type { JournalEntry } from '../../src/store/ports/journal.ts'
import type { Store } from '../../src/store/store.ts'

/** A turn of storage without work. */
export const NO_WORK = { settlements: [], sendersLost: false, clockJumpMs: 0, entries: [], capacity: new Map() }

/** Applies incidents in one transaction, as if the journal had just committed them; all deliveries stay on disk. */
export function commitDrafts({ journal, turn }: Store, drafts: readonly Draft[]): void {
  turn({ ...NO_WORK, entries: [entryOf(drafts, journal.progress().applied + 1)] })
}

function entryOf(drafts: readonly Draft[], first: number): JournalEntry {
  const contents = Buffer.concat(drafts.map(({ content }) => content))
  const submissions = [{ drafts }]
  const last = first + drafts.length - 1
  return { kind: 'ready', first, last, committedAt: Date.now(), submissions, contents, frame: new Uint8Array(0) }
}
