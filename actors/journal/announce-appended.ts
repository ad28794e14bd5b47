import type { Ref } from '../../src/kernel/ref.ts'
import type { Appended } from '../messages/journal-storage.ts'

/**
 * Returns `announce`, which tells storage that frames were committed: at once, or, while storage has not looked since the
 * last time, as soon as it has.
 */
export function createAnnounceAppended(storage: Pick<Ref<Appended>, 'tell' | 'whenRoom'>): () => void {
  let waiting = false
  return function announce(): void {
    if (waiting || storage.tell({ kind: 'appended' })) return
    waiting = true
    storage.whenRoom(() => {
      waiting = false
      announce()
    })
  }
}
