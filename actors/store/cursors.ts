import { CodedError } from '../../src/domain/errors.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Store } from '../../src/store/store.ts'
import type { Recalled } from '../messages/agent.ts'
import type { CursorsMail } from '../messages/mailboxes.ts'

export interface CursorsTools {
  readonly store: Pick<Store, 'write' | 'remember' | 'cursors'>
  readonly agent: Ref<Recalled>
}

/** Keeps where the log sources go on; a disk that refuses is told of elsewhere, and the agent tells it all again before long. */
export function cursorsActor({ store, agent }: CursorsTools): Actor<CursorsMail> {
  let recalls = 0

  function receive(batch: readonly CursorsMail[]): void {
    const latest = batch.findLast((mail) => mail.kind === 'remember')
    if (latest) tried(() => store.write(() => store.remember(latest.cursors)))
    recalls += batch.filter(({ kind }) => kind === 'recall').length
    answer()
  }

  function answer(): void {
    while (recalls > 0 && agent.tell({ kind: 'recalled', cursors: store.cursors() })) recalls--
    if (recalls > 0) agent.whenRoom(answer)
  }

  return { receive }
}

function tried(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
  }
}
