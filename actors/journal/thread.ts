import { openJournal } from '../../src/journal/journal.ts'
import { lockJournal } from '../../src/journal/lock.ts'
import { sinceBootMs } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { LOOKUP_WINDOW, type Lookup } from '../messages/journal-storage.ts'
import type { JournalBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { announcements, journalBody } from './cell.ts'
import type { PendingCommit } from './journal.ts'
import { KeyLookups } from './key-lookups.ts'
import { keysOfFrame } from './plan.ts'

/** Wires the journal: on files, or on the table that replicas share. */
export async function journalThread(boot: JournalBoot, context: ThreadContext, deps: ThreadDeps): Promise<ThreadBody> {
  if (boot.postgres === undefined) return fileJournal(boot, context, deps)
  const { tableJournal } = await import('./postgres/table-journal.ts')
  return tableJournal({ ...boot, postgres: boot.postgres }, context, deps)
}

/** Its start waits until storage has opened the database, which knows what incidents are applied. */
async function fileJournal(boot: JournalBoot, context: ThreadContext, deps: ThreadDeps): Promise<ThreadBody> {
  const { clock, log, meters, progress } = deps
  await progress.opened()
  const lock = lockJournal(boot.dataDir)
  const { journal, keys: unapplied } = openJournal({
    dataDir: boot.dataDir,
    released: progress.released,
    committed: progress.committed,
    now: () => clock.now(),
    damaged(what) {
      meters.journal.damaged.add()
      log.error(
        { what },
        'the journal is damaged or incomplete: what can be read is applied, all else is reported here',
      )
    },
  })
  progress.setCommitted(journal.nextNumber - 1, journal.keyed)
  const store = context.link('store')
  const lookups: Ref<Lookup> = store.outlet('lookups', LOOKUP_WINDOW)
  const keys = new KeyLookups<PendingCommit>({
    storage: lookups,
    unapplied,
    // Grows faster than the lookups of a thread are counted.
    firstLookup: Math.floor(sinceBootMs() * 1_000),
    keysOf: ({ frame }) => keysOfFrame(frame),
  })
  return journalBody(boot, context, deps, {
    journal,
    keys,
    announce: announcements(context),
    storageUp: () => store.up,
    refused: 'the disk refuses writes: check storage.file.data_dir; incidents are answered 503',
    recovered: 'the disk accepts writes again',
    close() {
      journal.close()
      lock.release()
    },
  })
}
