import type { ChannelName } from '../../src/domain/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { NoticeSubject } from '../../src/domain/notice.ts'
import { Cell } from '../../src/kernel/cell.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { noRef, type Ref } from '../../src/kernel/ref.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import type { OncallChange } from '../../src/store/contract.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { LiveLog } from '../../src/telemetry/log.ts'
import { CURSOR_WINDOW, type CursorsLoaded } from '../messages/agent.ts'
import { COMMIT_WINDOW, type Committed } from '../messages/ingest-storage.ts'
import type { CursorsMail, StorageMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import { settlementWindow } from '../messages/settlement-window.ts'
import { PAGE_WINDOW, type PageDue } from '../messages/storage-pager.ts'
import type { AcknowledgeResult, StorageQuery } from '../messages/storage-queries.ts'
import { type Deliver, senderName } from '../messages/storage-send.ts'
import { logReports } from '../wiring/log-reports.ts'
import { notifyOfPeer } from '../wiring/peers.ts'
import type { StoreBoot, ThreadDeps } from '../wiring/settings.ts'
import { commitReplies } from './commit-replies.ts'
import { cursorsActor } from './cursors.ts'
import { createIndexer } from './indexer.ts'
import { storageActor } from './storage.ts'
import { incidentEvents, oncallEvents } from './tail-events.ts'
import { timedStore } from './timed-store.ts'
import { UnwrittenResults } from './unwritten.ts'

/** What one sender may hold of payloads, in bytes. */
const MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024

/** The StorageActor and its database. The database outlives the actor's restarts and ends with the thread. */
export function storeThread(boot: StoreBoot, { link, scheduler }: ThreadContext, deps: ThreadDeps): ThreadBody {
  const { log, publisher, meters } = deps
  const clock = systemClock
  const maxSettlements = settlementWindow(boot)
  const fronts = boot.fronts.map(link)
  const ingest: Ref<Committed> = commitReplies(fronts)
  const senders = new Map<ChannelName, Ref<Deliver>>(
    boot.channels.map(({ name, mailbox }) => [name, link('send').outlet(senderName(name), mailbox)]),
  )
  const pager: Ref<PageDue> = boot.oncall ? link('send').outlet('oncall', PAGE_WINDOW) : noRef('oncall')
  const store = openStore({
    ...boot.storage,
    ...(boot.oncall && { oncall: boot.oncall }),
    channels: boot.channels.map(({ name }) => name),
    threadedChannels: boot.channels.flatMap(({ name, threads }) => (threads ? [name] : [])),
    now: () => clock.now(),
    quarantined: (row) =>
      log.error(
        row,
        'incidents cannot be filed, and nothing was sent of them; they are kept in the table quarantine of tocsin.db, and tried again after the next start',
      ),
  })
  const indexer = createIndexer({
    store,
    clock,
    failed: (error) =>
      log.error({ error: String(error) }, 'the index of words stays behind; searches read the incidents instead'),
  })
  const unwritten = new UnwrittenResults()
  let dispatching = true
  const diskRefused = (error: Error) =>
    log.error({ error: error.message }, 'the disk refuses; incidents are answered 503')
  const noticesStuck = (about: NoticeSubject) =>
    log.error({ about }, 'deliveries or pages are dead, and no channel works that could tell of it; told when one does')
  const diskRecovered = () => log.warn({}, 'the disk takes writes again')
  const mayDispatch = (to: ChannelName | 'oncall') => dispatching && (to === 'oncall' || !store.isPaused(to))
  const cell = new Cell<StorageMail>(
    {
      name: 'storage',
      mailbox: { capacity: fronts.length * COMMIT_WINDOW + maxSettlements + PEER_WINDOW, whenFull: 'wait' },
      batch: 4_096,
      slots: 'held',
      build: () =>
        storageActor({
          store: timedStore(store, {
            meters: meters.store,
            elapsed: () => clock.elapsed(),
            wrote: indexer.recordWrite,
          }),
          ...{
            ingest,
            senders,
            pager,
            unwritten,
            clock,
            publisher,
            mayDispatch,
            diskRefused,
            diskRecovered,
            noticesStuck,
          },
          maxInFlightBytes: MAX_IN_FLIGHT_BYTES,
        }),
    },
    { clock, scheduler, report: logReports(log).cell },
  )
  for (const front of fronts) front.inlet('storage', cell.mailbox)
  link('send').inlet('storage', cell.mailbox)
  const storageMail = notifyOfPeer(link('send'), cell)
  const cursors = cursorsCell(store, { link, scheduler }, log)
  shrinkHeap()
  return {
    cells: [cell, cursors],
    ask: (_actor, query) =>
      answerUpToDate(query as StorageQuery, {
        ...{ store, log, publisher },
        mayDispatch(may) {
          dispatching = may
        },
        wakeStorage: () => void storageMail.tell({ kind: 'peer', up: true }),
        onSearch: indexer.searchStarted,
      }),
    async stop() {
      indexer.close()
      await Promise.all([cursors.idle(), cell.idle()])
      await Promise.all([cursors.close(), cell.close()])
      store.close()
    },
  }
}

function cursorsCell(store: Store, { link, scheduler }: Pick<ThreadContext, 'link' | 'scheduler'>, log: LiveLog) {
  const agent: Ref<CursorsLoaded> = link('agent').outlet('agent', CURSOR_WINDOW)
  const cell = new Cell<CursorsMail>(
    {
      name: 'cursors',
      mailbox: { capacity: CURSOR_WINDOW, whenFull: 'lag' },
      batch: CURSOR_WINDOW,
      slots: 'auto',
      build: () => cursorsActor({ store, agent }),
    },
    { clock: systemClock, scheduler, report: logReports(log).cell },
  )
  link('agent').inlet('cursors', cell.mailbox)
  return cell
}

/** What a question is answered from. */
export interface QueryContext {
  readonly store: Store
  readonly log: LiveLog
  readonly publisher: EventPublisher
  mayDispatch(may: boolean): void
  /** Has the actor look for what is due now. */
  wakeStorage(): void
  /** Somebody reads by words. */
  onSearch(): void
}

/** Lists and searches may trail behind a flood by what is above it; whoever asks for one incident finds it. */
const MAX_UNAPPLIED_FOR_LISTS = 2_000

/** In one transaction: what is undone with an incident that cannot be filed, and what a commit may have to wait for. */
const APPLY_STEP = 512

const READS: readonly StorageQuery['kind'][] = ['incidents', 'incident', 'deliveries', 'record']

/** What was committed before the question is in the answer; on a disk that refuses, what was filed before. */
export function answerUpToDate(query: StorageQuery, context: QueryContext): unknown {
  try {
    applyFor(query, context)
  } catch (error) {
    if (!(error instanceof CodedError && READS.includes(query.kind))) throw error
    const result = answer(query, context)
    // It may be among what waits.
    if (result === undefined) throw error
    return result
  }
  return answer(query, context)
}

function applyFor(query: StorageQuery, context: QueryContext): void {
  if ('id' in query) applyJournal(context, Infinity)
  else if ('filter' in query) applyJournal(context, MAX_UNAPPLIED_FOR_LISTS)
}

/** As the actor does from turn to turn, but that nothing is handed out; what cannot be filed is behind it then. */
function applyJournal(context: QueryContext, incidents: number): void {
  const { store, publisher } = context
  const left = Math.max(0, store.unapplied() - incidents)
  while (store.unapplied() > left) {
    const step = Math.min(APPLY_STEP, store.unapplied() - left)
    const { drafts, oncall } = writeAndWake(context, () => store.apply(step, () => false))
    if (publisher.hasSubscribers)
      for (const event of incidentEvents(drafts, new Date().toISOString())) publisher.publish(event)
    publishOncall(context, oncall)
  }
}

function answer(query: StorageQuery, context: QueryContext): unknown {
  const { store, log } = context
  switch (query.kind) {
    case 'check':
      return store.check()
    case 'hold':
      return context.mayDispatch(false)
    case 'release':
      context.mayDispatch(true)
      return writeAndWake(context, () => store.makeDueNow())
    case 'log':
      return log.change(query)
    case 'state':
      return store.state()
    case 'incidents':
      if (query.filter.q !== undefined) context.onSearch()
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
      return writeAndWake(context, () => store.resume(query.channel))
    case 'replay':
      return writeAndWake(context, () => store.replay(query.filter))
    case 'resend':
      return writeAndWake(context, () => store.resend(query.id))
    case 'record':
      return store.record(query.id)
    case 'acknowledge':
      return acknowledge(context, query)
    case 'resolve':
      return resolve(context, query)
    default:
      return query satisfies never
  }
}

function acknowledge(
  context: QueryContext,
  { id, by }: Extract<StorageQuery, { kind: 'acknowledge' }>,
): AcknowledgeResult {
  const result = writeAndWake(context, () => context.store.acknowledge(id, by))
  if (result.kind === 'acknowledged') publishOncall(context, result.oncall)
  const incident = context.store.record(id)
  return result.kind === 'unknown' || incident === undefined ? { kind: 'unknown' } : { kind: result.kind, incident }
}

function resolve(context: QueryContext, { id, by }: Extract<StorageQuery, { kind: 'resolve' }>): boolean {
  const changes = writeAndWake(context, () => context.store.resolve(id, by))
  publishOncall(context, changes ?? [])
  return changes !== undefined
}

function publishOncall({ store, publisher }: QueryContext, changes: readonly OncallChange[]): void {
  if (!publisher.hasSubscribers) return
  for (const event of oncallEvents(changes, store.oncall, new Date().toISOString())) publisher.publish(event)
}

/** An operator's change is a transaction of its own; what it made due is handed out with the next turn. */
function writeAndWake<T>({ store, wakeStorage }: QueryContext, work: () => T): T {
  try {
    return store.write(work)
  } finally {
    wakeStorage()
  }
}
