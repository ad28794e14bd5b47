import type { Destination } from '../../src/domain/delivery/delivery.ts'
import { recognise } from '../../src/intake/recognise.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import type { Store } from '../../src/store/store.ts'
import { CURSOR_WINDOW, type CursorsLoaded } from '../messages/agent.ts'
import { APPENDED_WINDOW, type Found, LOOKUP_WINDOW } from '../messages/journal-storage.ts'
import type { CursorsMail, StorageMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import type { StorageQuery } from '../messages/storage-queries.ts'
import { type Deliver, PAGE_WINDOW, senderName, settlementWindow } from '../messages/storage-send.ts'
import type { StoreBoot } from '../wiring/boot.ts'
import { openSilencing } from '../wiring/open-policy.ts'
import { repliesOver } from '../wiring/replies-over.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import type { Spawn } from '../wiring/spawn.ts'
import { createApplyProgress } from './apply-progress.ts'
import { briefWordsTask, openBriefs } from './briefs.ts'
import { cursorsActor } from './cursors.ts'
import { createIndexing } from './indexing.ts'
import { meteredStore } from './metering/metered-store.ts'
import { loadTables, openStorage } from './open-storage.ts'
import { answerQuery } from './queries.ts'
import { PAUSE_MS, storageActor } from './storage.ts'
import { UnwrittenResults } from './unwritten-results.ts'

/** Bound of payloads that one sender holds, in bytes. */
const MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024

/** Loads what the store of a replica needs beside this file. */
export const loadReplicaCode = loadTables

/**
 * Wires storage and cursors over one database. The database outlives restarts of the actors and closes with the thread.
 */
export async function storeThread(boot: StoreBoot, { link }: ThreadContext, deps: ThreadDeps): Promise<ThreadBody> {
  const { spawn, clock, log, publisher, meters, progress } = deps
  const maxSettlements = settlementWindow(boot)
  const replies = repliesOver<Found>(link('journal'), 'journal', LOOKUP_WINDOW)
  const senders = new Map<Destination, Ref<Deliver>>(
    boot.channels.map(({ name, mailbox }) => [name, link('send').outlet(senderName(name), mailbox)]),
  )
  if (boot.pager) senders.set('oncall', link('send').outlet(senderName('oncall'), PAGE_WINDOW))
  const { store, reader, lastCommitted } = await openStorage(boot, deps)
  if (!store.silences.isStarted() && store.silences.hasLive())
    store.silences.start({ compile: await openSilencing(), configured: [] })
  const asleep = boot.escalations ? 0 : store.status.openRuns()
  if (asleep > 0)
    log.warn(
      { runs: asleep },
      'escalations at work on problems ask nobody, because oncall.escalations has none any more',
    )
  const published = createApplyProgress(progress, store.journal, clock, lastCommitted)
  published.publish()
  const indexing = createIndexing({
    maintenance: store.maintenance,
    clock,
    failed: (error) =>
      log.error({ error: String(error) }, 'the search index lags behind; searches read the incidents instead'),
  })
  const briefs = openBriefs({ store: store.brief, published, clock })
  const words = store.brief ? [briefWordsTask(store.brief, clock)] : []
  const unwritten = new UnwrittenResults()
  const place = boot.storage.type === 'postgres' ? 'storage.postgres.url' : 'storage.file.data_dir'
  let dispatching = true
  const mayDispatch = (to: Destination) => dispatching && (to === 'oncall' || !store.channels.isPaused(to))
  const { cell, peers } = spawn<StorageMail>({
    name: 'storage',
    places: APPENDED_WINDOW + LOOKUP_WINDOW + maxSettlements,
    batch: 4_096,
    slots: 'held',
    pauseMs: PAUSE_MS,
    from: [link('journal'), link('send')],
    watch: [link('send')],
    build: () =>
      storageActor({
        ...{ published, reader, progress, replies, recognise, senders, unwritten, clock, publisher, mayDispatch },
        store: meteredStore(store, { meters, elapsed: () => clock.elapsed(), wrote: indexing.recordWrite }),
        tasks: [indexing, ...words],
        diskRefused: ({ message: error }) =>
          log.error(
            { error },
            `the database refuses writes: check ${place}; incidents wait in the journal and nothing is sent`,
          ),
        diskRecovered: () => log.warn({}, 'the database accepts writes again'),
        noticesStuck: (about) =>
          log.error(
            { about },
            'deliveries or pages are dead, and no channel works that could send the notice; it is sent when one works',
          ),
        journalUnreadable: ({ message: error }) =>
          log.error({ error }, `the journal cannot be read: check ${place}; nothing is applied`),
        quarantined: ({ first, last, error }) =>
          log.error(
            { first, incidents: last - first + 1, error },
            'incidents cannot be applied, and no message was sent of them; they are kept in the table quarantine of tocsin.db and tried again after the next start',
          ),
        maxInFlightBytes: MAX_IN_FLIGHT_BYTES,
      }),
  })
  link('journal').inlet('lookups', cell.mailbox)
  const cursors = cursorsCell(store, link('agent'), spawn)
  shrinkHeap()
  return {
    cells: [cell, cursors],
    ask: (_actor, query) =>
      answerQuery(query as StorageQuery, {
        store,
        published,
        log,
        now: () => clock.now(),
        publisher,
        briefs,
        dispatchesPerIncident: boot.dispatchesPerIncident,
        mayDispatch(may) {
          dispatching = may
        },
        // Any unread notice causes a turn, so one is enough and the window stays free for real ones.
        wakeStorage() {
          if (peers.room === PEER_WINDOW) peers.tell({ kind: 'peer', up: true })
        },
        onSearch: indexing.searchStarted,
      }),
    async stop() {
      await Promise.all([cursors.idle(), cell.idle()])
      await Promise.all([cursors.close(), cell.close()])
      store.close()
      reader.close()
    },
  }
}

function cursorsCell(store: Store, link: Link, spawn: Spawn) {
  const agent: Ref<CursorsLoaded> = link.outlet('agent', CURSOR_WINDOW)
  const { cell } = spawn<CursorsMail>({
    name: 'cursors',
    places: CURSOR_WINDOW,
    batch: CURSOR_WINDOW,
    slots: 'auto',
    from: [link],
    build: () => cursorsActor({ store, agent }),
  })
  return cell
}
