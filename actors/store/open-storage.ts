import type { JournalReader } from '../../src/journal/contract.ts'
import { openJournalReader } from '../../src/journal/reader.ts'
import { journalDirectory } from '../../src/journal/scan.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { StoreBoot } from '../wiring/boot.ts'
import { openDestinationWarnings, openPageWarnings } from '../wiring/parameter-warnings.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { storeOptions } from '../wiring/store-options.ts'

interface Opened {
  readonly store: Store
  readonly reader: JournalReader
  /** Returns the number of the last committed incident; absent: the journal thread of this process knows it. */
  readonly lastCommitted?: () => number
}

/** Loads the code of a store in PostgreSQL. */
export const loadTables = () =>
  Promise.all([import('./postgres/open-tables.ts'), import('../../src/postgres/errors.ts')])

/** Opens the database and the journal's reader, on files or in PostgreSQL. Throws as `openStore`. */
export async function openStorage(boot: StoreBoot, { clock, lease, log, meters }: ThreadDeps): Promise<Opened> {
  const options = {
    ...(await storeOptions(boot, clock)),
    destinationsFull: openDestinationWarnings({ log, clock }),
    pageForgotten: openPageWarnings({ log, clock }),
  }
  if (boot.storage.type === 'file')
    return { store: openStore(options), reader: openJournalReader(journalDirectory(boot.storage.dataDir)) }
  const [{ openTables }, { repeatCause }] = await loadTables()
  return openTables(options, boot.storage.postgres, {
    term: lease.term,
    repeated: (error) => meters.store.repeated[repeatCause(error)].add(),
    failed: ({ message }) => log.error({ error: message }, 'PostgreSQL does not answer; nothing is sent until it does'),
  })
}
