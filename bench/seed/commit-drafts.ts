import type { Draft } from '../../src/domain/commit.ts'
import { packSubmissions } from '../../src/store/journal/codec.ts'
import type { Store } from '../../src/store/store.ts'

/** Commits and applies incidents in one transaction; all deliveries stay on disk. */
export function commitDrafts({ write, journal }: Store, drafts: readonly Draft[]): void {
  write(() => {
    for (const packed of packSubmissions([{ drafts }])) journal.append(packed)
    journal.apply(Infinity, () => false)
  })
}
