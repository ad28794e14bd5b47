import type { ChannelName } from '../../src/domain/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { Feed } from '../../src/domain/event.ts'
import type { Subject } from '../../src/domain/notice.ts'
import { Cell } from '../../src/kernel/cell.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { noRef, type Ref } from '../../src/kernel/ref.ts'
import { compact } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import type { OncallChange } from '../../src/store/contract.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { LiveLog } from '../../src/telemetry/log.ts'
import { CURSOR_WINDOW, type Recalled } from '../messages/agent.ts'
import { COMMIT_WINDOW, type Committed } from '../messages/ingest-storage.ts'
import type { CursorsMail, StorageMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import { outcomesOf } from '../messages/settlement-window.ts'
import { PAGE_WINDOW, type PageDue } from '../messages/storage-pager.ts'
import type { Acknowledged, StorageQuery } from '../messages/storage-queries.ts'
import { type Deliver, senderName } from '../messages/storage-send.ts'
import { reports } from '../wiring/log-reports.ts'
import { announcePeer } from '../wiring/peers.ts'
import type { StoreBoot, ThreadTools } from '../wiring/settings.ts'
import { committedTo } from './commit-replies.ts'
import { cursorsActor } from './cursors.ts'
import { createIndexing } from './indexer.ts'
import { storageActor } from './storage.ts'
import { incidentEvents, oncallEvents } from './tail-events.ts'
import { timed } from './timed-store.ts'
import { Owed } from './unwritten.ts'

/** What one sender may hold of payloads, in bytes. */
const MAX_HANDED_BYTES = 16 * 1024 * 1024

/** The StorageActor and its database. The database outlives the actor's restarts and ends with the thread. */
export function storeThread(boot: StoreBoot, { link, turns }: ThreadContext, tools: ThreadTools): ThreadBody {
  const { log, feed, figures } = tools
  const clock = systemClock
  const settlements = outcomesOf(boot)
  const fronts = boot.fronts.map(link)
  const ingest: Ref<Committed> = committedTo(fronts)
  const senders = new Map<ChannelName, Ref<Deliver>>(
    boot.channels.map(({ name, mailbox }) => [name, link('send').outlet(senderName(name), mailbox)]),
  )
  const pager: Ref<PageDue> = boot.oncall ? link('send').outlet('oncall', PAGE_WINDOW) : noRef('oncall')
  const store = openStore({
    ...boot.storage,
    ...(boot.oncall && { oncall: boot.oncall }),
    channels: boot.channels.map(({ name }) => name),
    threading: boot.channels.flatMap(({ name, threads }) => (threads ? [name] : [])),
    now: () => clock.now(),
    quarantined: (row) =>
      log.error(
        row,
        'incidents cannot be filed, and nothing was sent of them; they are kept in the table quarantine of tocsin.db, and tried again after the next start',
      ),
  })
  const indexing = createIndexing({
    store,
    clock,
    failed: (error) =>
      log.error({ error: String(error) }, 'the index of words stays behind; searches read the incidents instead'),
  })
  const owed = new Owed()
  let handingOut = true
  const refused = (error: Error) => log.error({ error: error.message }, 'the disk refuses; incidents are answered 503')
  const untold = (about: Subject) =>
    log.error({ about }, 'deliveries or pages are dead, and no channel works that could tell of it; told when one does')
  const recovered = () => log.warn({}, 'the disk takes writes again')
  const mayHandOut = (to: ChannelName | 'oncall') => handingOut && (to === 'oncall' || !store.isPaused(to))
  const cell = new Cell<StorageMail>(
    {
      name: 'storage',
      mailbox: { capacity: fronts.length * COMMIT_WINDOW + settlements + PEER_WINDOW, whenFull: 'wait' },
      batch: 4_096,
      places: 'held',
      build: () =>
        storageActor({
          store: timed(store, { figures: figures.store, elapsed: () => clock.elapsed(), wrote: indexing.wrote }),
          ...{ ingest, senders, pager, owed, clock, feed, mayHandOut, refused, recovered, untold },
          maxHandedBytes: MAX_HANDED_BYTES,
        }),
    },
    { clock, turns, report: reports(log).cell },
  )
  for (const front of fronts) front.inlet('storage', cell.mailbox)
  link('send').inlet('storage', cell.mailbox)
  const nudge = announcePeer(link('send'), cell)
  const cursors = cursorsCell(store, { link, turns }, log)
  compact()
  return {
    cells: [cell, cursors],
    ask: (_actor, query) =>
      answerUpToDate(query as StorageQuery, {
        ...{ store, log, feed },
        mayHandOut(may) {
          handingOut = may
        },
        look: () => void nudge.tell({ kind: 'peer', up: true }),
        searched: indexing.wanted,
      }),
    async stop() {
      indexing.close()
      await Promise.all([cursors.idle(), cell.idle()])
      await Promise.all([cursors.close(), cell.close()])
      store.close()
    },
  }
}

function cursorsCell(store: Store, { link, turns }: Pick<ThreadContext, 'link' | 'turns'>, log: LiveLog) {
  const agent: Ref<Recalled> = link('agent').outlet('agent', CURSOR_WINDOW)
  const cell = new Cell<CursorsMail>(
    {
      name: 'cursors',
      mailbox: { capacity: CURSOR_WINDOW, whenFull: 'lag' },
      batch: CURSOR_WINDOW,
      places: 'auto',
      build: () => cursorsActor({ store, agent }),
    },
    { clock: systemClock, turns, report: reports(log).cell },
  )
  link('agent').inlet('cursors', cell.mailbox)
  return cell
}

/** What a question is answered from. */
export interface Asked {
  readonly store: Store
  readonly log: LiveLog
  readonly feed: Feed
  mayHandOut(may: boolean): void
  /** Has the actor look for what is due now. */
  look(): void
  /** Somebody reads by words. */
  searched(): void
}

/** Lists and searches may trail behind a flood by what is above it; whoever asks for one incident finds it. */
const FILED_FOR_LISTS = 2_000

/** In one transaction: what is undone with an incident that cannot be filed, and what a commit may have to wait for. */
const FILED_AT_ONCE = 512

const READS: readonly StorageQuery['kind'][] = ['incidents', 'incident', 'deliveries', 'record']

/** What was committed before the question is in the answer; on a disk that refuses, what was filed before. */
export function answerUpToDate(query: StorageQuery, asked: Asked): unknown {
  try {
    fileFor(query, asked)
  } catch (error) {
    if (!(error instanceof CodedError && READS.includes(query.kind))) throw error
    const said = answer(query, asked)
    // It may be among what waits.
    if (said === undefined) throw error
    return said
  }
  return answer(query, asked)
}

function fileFor(query: StorageQuery, asked: Asked): void {
  if ('id' in query) fileWaiting(asked, Infinity)
  else if ('filter' in query) fileWaiting(asked, FILED_FOR_LISTS)
}

/** As the actor does from turn to turn, but that nothing is handed out; what cannot be filed is behind it then. */
function fileWaiting(asked: Asked, incidents: number): void {
  const { store, feed } = asked
  const left = Math.max(0, store.unfiled() - incidents)
  while (store.unfiled() > left) {
    const step = Math.min(FILED_AT_ONCE, store.unfiled() - left)
    const { drafts, oncall } = change(asked, () => store.file(step, () => false))
    if (feed.open) for (const event of incidentEvents(drafts, new Date().toISOString())) feed.publish(event)
    tell(asked, oncall)
  }
}

function answer(query: StorageQuery, asked: Asked): unknown {
  const { store, log } = asked
  switch (query.kind) {
    case 'check':
      return store.check()
    case 'hold':
      return asked.mayHandOut(false)
    case 'release':
      asked.mayHandOut(true)
      return change(asked, () => store.hasten())
    case 'log':
      return log.change(query)
    case 'state':
      return store.state()
    case 'incidents':
      if (query.filter.q !== undefined) asked.searched()
      return store.incidents(query.filter)
    case 'incident':
      return store.incident(query.id)
    case 'deliveries':
      return store.deliveries(query.filter)
    case 'channels':
      return store.health()
    case 'pause':
      return store.write(() => store.pause(query.channel))
    case 'resume':
      return change(asked, () => store.resume(query.channel))
    case 'replay':
      return change(asked, () => store.replay(query.filter))
    case 'resend':
      return change(asked, () => store.resend(query.id))
    case 'record':
      return store.record(query.id)
    case 'acknowledge':
      return acknowledge(asked, query)
    case 'resolve':
      return resolve(asked, query)
    default:
      return query satisfies never
  }
}

function acknowledge(asked: Asked, { id, by }: Extract<StorageQuery, { kind: 'acknowledge' }>): Acknowledged {
  const said = change(asked, () => asked.store.acknowledge(id, by))
  if (said.kind === 'acknowledged') tell(asked, said.oncall)
  const incident = asked.store.record(id)
  return said.kind === 'unknown' || incident === undefined ? { kind: 'unknown' } : { kind: said.kind, incident }
}

function resolve(asked: Asked, { id, by }: Extract<StorageQuery, { kind: 'resolve' }>): boolean {
  const changes = change(asked, () => asked.store.resolve(id, by))
  tell(asked, changes ?? [])
  return changes !== undefined
}

function tell({ store, feed }: Asked, changes: readonly OncallChange[]): void {
  if (!feed.open) return
  for (const event of oncallEvents(changes, store.oncall, new Date().toISOString())) feed.publish(event)
}

/** An operator's change is a transaction of its own; what it made due is handed out with the next turn. */
function change<T>({ store, look }: Asked, work: () => T): T {
  try {
    return store.write(work)
  } finally {
    look()
  }
}
