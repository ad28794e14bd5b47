import { CodedError } from '../../src/domain/errors.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Store } from '../../src/store/store.ts'
import type { CursorsLoaded } from '../messages/agent.ts'
import type { CursorsMail } from '../messages/mailboxes.ts'

interface CursorsDeps {
  readonly store: Pick<Store, 'cursors'>
  readonly agent: Ref<CursorsLoaded>
}

/**
 * Saves and loads the read positions of log sources. Drops a save that the disk refuses: storage reports the disk, and
 * the agent soon sends all cursors again.
 */
export function cursorsActor({ store, agent }: CursorsDeps): Actor<CursorsMail> {
  let pendingLoads = 0

  function receive(batch: readonly CursorsMail[]): void {
    const latest = batch.findLast((mail) => mail.kind === 'save-cursors')
    if (latest) ignoringDiskErrors(() => store.cursors.save(latest.cursors))
    pendingLoads += batch.filter(({ kind }) => kind === 'load-cursors').length
    answer()
  }

  function answer(): void {
    while (pendingLoads > 0 && agent.tell({ kind: 'cursors-loaded', cursors: store.cursors.load() })) pendingLoads--
    if (pendingLoads > 0) agent.whenRoom(answer)
  }

  return { receive }
}

function ignoringDiskErrors(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
  }
}
