import { openJournal } from '../../src/journal/journal.ts'
import { lockJournal } from '../../src/journal/lock.ts'
import { sinceBootMs } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { COMMIT_WINDOW } from '../messages/ingest-journal.ts'
import { APPENDED_WINDOW, type Appended, LOOKUP_WINDOW, type Lookup } from '../messages/journal-storage.ts'
import type { JournalMail } from '../messages/mailboxes.ts'
import { answerFrom } from '../messages/query.ts'
import type { JournalBoot, ThreadDeps } from '../wiring/settings.ts'
import { createAnnounceAppended } from './announce-appended.ts'
import { AnswersDue } from './answers.ts'
import { commitReplies } from './commit-replies.ts'
import { journalActor, type PendingCommit } from './journal.ts'
import { KeyLookups } from './key-lookups.ts'
import { keysOfFrame } from './plan.ts'
import { journalAnswers } from './queries.ts'
import { Quota } from './quota.ts'

/**
 * Wires the journal. Its start waits until storage has opened the database, which knows what incidents are applied. The
 * journal outlives restarts of its actor and closes with the thread.
 */
export async function journalThread(boot: JournalBoot, { link }: ThreadContext, deps: ThreadDeps): Promise<ThreadBody> {
  const { spawn, clock, log, meters, progress } = deps
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
  progress.setCommitted(journal.nextNumber - 1, unapplied.at(-1)?.number ?? 0)
  const store = link('store')
  const storage: Ref<Appended> = store.outlet('storage', APPENDED_WINDOW)
  const lookups: Ref<Lookup> = store.outlet('lookups', LOOKUP_WINDOW)
  const fronts = boot.fronts.map(link)
  const replies = commitReplies(fronts)
  const keys = new KeyLookups<PendingCommit>({
    storage: lookups,
    unapplied,
    // Grows faster than the lookups of a thread are counted.
    firstLookup: Math.floor(sinceBootMs() * 1_000),
    keysOf: ({ frame }) => keysOfFrame(frame),
  })
  const quota = new Quota(progress, boot.quota)
  const announce = createAnnounceAppended(storage)
  const answersDue = new AnswersDue()
  let builds = 0
  const { cell } = spawn<JournalMail>({
    name: 'journal',
    places: fronts.length * 2 * COMMIT_WINDOW + LOOKUP_WINDOW,
    batch: 4_096,
    slots: 'held',
    from: [...fronts, store],
    watch: [store],
    build() {
      // An actor that failed may have written frames without announcing them.
      if (builds++ > 0) announce()
      return journalActor({
        journal,
        progress,
        quota,
        keys,
        announce,
        replies,
        clock,
        answers: answersDue,
        storageUp: () => store.up,
        diskRefused: ({ message }) =>
          log.error(
            { error: message },
            'the disk refuses writes: check storage.file.data_dir; incidents are answered 503',
          ),
        diskRecovered: () => log.warn({}, 'the disk accepts writes again'),
        appended(ms, result) {
          meters.journal.appendMs.record(ms)
          if (result === 'failed') meters.journal.failedAppends.add()
        },
      })
    },
  })
  for (const front of fronts) front.inlet('keyed', cell.mailbox)
  const answers = journalAnswers({ journal, progress, quota, log })
  shrinkHeap()
  return {
    cells: [cell],
    ask: (_actor, query) => answerFrom(answers, query),
    async stop() {
      await cell.idle()
      await cell.close()
      journal.close()
      lock.release()
    },
  }
}
