import { setTimeout as sleep } from 'node:timers/promises'
import { CodedError } from '../../../src/domain/errors.ts'
import { TableJournal } from '../../../src/journal/postgres/journal.ts'
import { leaderProgress } from '../../../src/journal/postgres/reader.ts'
import type { ThreadBody, ThreadContext } from '../../../src/kernel/thread.ts'
import { repeatCause } from '../../../src/postgres/errors.ts'
import type { PostgresSettings } from '../../../src/postgres/settings.ts'
import { openSyncPostgres } from '../../../src/postgres/sync.ts'
import { errorText } from '../../../src/text/error-text.ts'
import type { JournalBoot } from '../../wiring/boot.ts'
import type { ThreadDeps } from '../../wiring/settings.ts'
import { announcements, journalBody } from '../cell.ts'
import type { PendingCommit } from '../journal.ts'
import { keysOfFrame } from '../plan.ts'
import { TableKeys } from './table-keys.ts'
import { createUpkeep } from './upkeep.ts'
import { startWatch } from './watch.ts'
import { connectWatch } from './watch-connection.ts'

/** An append whose connection was lost looks for its rows within the commit timeout. */
const KEEP_COMMIT_TIMEOUTS = 4
const OPEN_RETRY_MS = 250
const REFUSE_MS = 500

/**
 * Wires the journal over the table that replicas share. It waits neither for the store thread, which only the replica
 * that leads has, nor for files.
 */
export async function tableJournal(
  boot: JournalBoot & { readonly postgres: PostgresSettings },
  context: ThreadContext,
  deps: ThreadDeps,
): Promise<ThreadBody> {
  const { clock, log, meters, progress } = deps
  const { postgres } = boot
  const connection = openSyncPostgres(postgres, { applicationName: 'tocsin journal' })
  const journal = new TableJournal({
    connection,
    commitTimeoutMs: postgres.commitTimeoutMs,
    refuseMs: REFUSE_MS,
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    sleep: (ms) => void Atomics.wait(NOTHING, 0, 0, ms),
    repeated: (error) => meters.journal.repeated[repeatCause(error)].add(),
    damaged(what) {
      meters.journal.damaged.add()
      log.error({ what }, 'the journal is damaged or incomplete: what can be read is applied')
    },
  })
  await untilRead(
    () => {
      journal.open()
      progress.setLeaderProgress(leaderProgress(connection))
    },
    (error) =>
      log.error({ error: error.message }, 'the database cannot be read: check storage.postgres.url; nothing is taken'),
  )
  progress.setCommitted(journal.nextNumber - 1, journal.keyed)
  const keys = new TableKeys<PendingCommit>({
    lookUp: (asked) => journal.findKeys(asked),
    keysOf: ({ frame }) => keysOfFrame(frame),
  })
  const announce = announcements(context)
  const watch = startWatch({
    connect: (events) => connectWatch(postgres, events),
    progress,
    journal,
    upkeep: createUpkeep({ journal, progress, clock, keepMs: KEEP_COMMIT_TIMEOUTS * postgres.commitTimeoutMs }),
    announce,
    clock,
    failed: (error) => log.warn({ error: errorText(error) }, 'the progress of the other replicas cannot be read'),
    recovered: () => log.info({}, 'the progress of the other replicas can be read again'),
  })
  return journalBody(boot, context, deps, {
    journal,
    keys,
    announce() {
      watch.appended()
      announce()
    },
    storageUp: () => true,
    refused: 'PostgreSQL takes no incidents: check it and storage.postgres.url; incidents are answered 503',
    recovered: 'PostgreSQL takes incidents again',
    close() {
      watch.close()
      journal.close()
      connection.close()
    },
  })
}

const NOTHING = new Int32Array(new SharedArrayBuffer(4))

/** Tries until the database can be read: the process goes on with what needs no database. */
async function untilRead(read: () => void, failed: (error: CodedError) => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      if (tries === 0) failed(error)
      await sleep(OPEN_RETRY_MS)
    }
  }
}
