import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Committed } from '../../../actors/messages/ingest-storage.ts'
import type { StorageMail } from '../../../actors/messages/mailboxes.ts'
import type { Deliver } from '../../../actors/messages/storage-send.ts'
import { storageActor } from '../../../actors/store/storage.ts'
import { UnwrittenResults } from '../../../actors/store/unwritten-results.ts'
import type { Attempt } from '../../../src/domain/delivery.ts'
import type { Settlement } from '../../../src/domain/dispatch.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { EventPublisher, TailEvent } from '../../../src/domain/event.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { CHANNEL_CODE, STATE } from '../../../src/store/engine/column-codes.ts'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import { openStore } from '../../../src/store/store.ts'
import { folder } from '../../harness/config-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'
import { backlogOf } from '../../store/support.ts'
import { draft } from '../support.ts'

test('a disk that refuses is tried again twice a second', (t) => {
  const storage = given(t)
  storage.commit()
  storage.settle({ state: 'pending', at: storage.clock.now() + 10 })
  storage.disk = 'full'
  storage.writes = 0
  storage.clock.advance(5_000)
  assert.ok(storage.writes > 5 && storage.writes < 30, `${storage.writes} writes in 5 s`)
  assert.deepEqual(storage.reports, ['refused'])
  storage.disk = 'good'
  storage.clock.advance(1_000)
  assert.deepEqual(storage.reports, ['refused', 'recovered'])
  assert.deepEqual(storage.dispatched(), [1, 1])
})

test('a full disk in an idle moment is reported once and loses nothing', (t) => {
  const storage = given(t)
  storage.commit()
  storage.settle({ state: 'sent' })
  storage.disk = 'full'
  storage.clock.advance(10_000)
  assert.deepEqual(storage.reports, ['refused'])
})

test('senders that die while the disk refuses get their deliveries again when it recovers', (t) => {
  const storage = given(t)
  storage.commit()
  storage.disk = 'full'
  storage.tell({ kind: 'peer', up: false })
  storage.tell({ kind: 'peer', up: true })
  storage.disk = 'good'
  storage.clock.advance(1_000)
  assert.deepEqual(storage.dispatched(), [1, 1])
})

test('results that the disk refused survive a restart of the actor', async (t) => {
  const storage = given(t)
  storage.commit()
  storage.disk = 'full'
  storage.settle({ state: 'sent' })
  storage.disk = 'broken'
  storage.tell({ kind: 'peer', up: true })
  storage.disk = 'good'
  await storage.rebuilt()
  assert.equal(backlogOf(storage.store).chatws?.sending, 0)
  assert.equal(storage.store.status.counters().finishedIncidents, 1)
})

test('a settlement that fails twice is written without its attempt', async (t) => {
  const storage = given(t)
  storage.commit()
  const attempt = {
    number: 1,
    startedAt: 1,
    outcome: 'sent',
    detail: '',
    mayDuplicate: false,
    dispatchedAt: 1,
    renderMs: 0,
  } as const
  storage.settle({ state: 'sent' }, { ...attempt, durationMs: Number.NaN, limiterWaitMs: 0 })
  await storage.rebuilt()
  assert.equal(backlogOf(storage.store).chatws?.sending, 0)
})

test('a delivery that was settled before its sender died is not dispatched again', (t) => {
  const storage = given(t)
  storage.commit()
  storage.offer(settle({ state: 'sent' }))
  storage.offer({ kind: 'peer', up: false })
  storage.pass()
  storage.clock.advance(1_000)
  assert.deepEqual(storage.dispatched(), [1])
})

test('slots reserved for an entry that cannot be applied are free for due deliveries', (t) => {
  const storage = given(t)
  storage.commit()
  storage.settle({ state: 'pending', at: storage.clock.now() + 10_000 })
  storage.db.exec(
    `INSERT INTO dispatches (incident, kind, destination, number, state) VALUES (65, 0, ${CHANNEL_CODE.chatws}, 0, ${STATE.sent})`,
  )
  storage.commit(64)
  storage.clock.advance(1_000)
  assert.equal(storage.store.status.counters().quarantinedIncidents, 64)
  storage.clock.advance(10_000)
  assert.deepEqual(storage.dispatched(), [1, 1])
})

test('events tell what is on disk, not what the disk refused', (t) => {
  const storage = given(t)
  storage.commit()
  storage.subscribed = true
  storage.disk = 'full'
  storage.settle({ state: 'dead', reason: 'no such room' }, ATTEMPT)
  assert.equal(storage.published.length, 0)
  storage.disk = 'good'
  storage.clock.advance(1_000)
  storage.commit()
  assert.deepEqual(
    storage.published.map((event) => [
      event.kind,
      event.kind === 'delivery' && [event.state, event.attempt, event.title],
    ]),
    [
      ['delivery', ['dead', 1, 'ledger']],
      ['incident', false],
    ],
  )
})

const ATTEMPT: Attempt = {
  number: 1,
  startedAt: 1,
  durationMs: 5,
  outcome: 'failed',
  detail: 'no such room',
  mayDuplicate: false,
  dispatchedAt: 1,
  renderMs: 0,
  limiterWaitMs: 0,
}

const KEY = { kind: 'delivery', destination: 'chatws', incident: 1, number: 0 } as const

function settle(verdict: Settlement['verdict'], attempt?: Settlement['attempt']): StorageMail {
  return { kind: 'settle', settlement: { ...KEY, verdict, ...(attempt && { attempt }) } }
}

/** Storage over a real store whose disk fails on demand, with one sender that keeps its dispatches. */
function given(t: TestContext) {
  const clock = new ManualClock()
  const dataDir = folder()
  const db = openDatabase(dataDir)
  const limits = { channels: ['chatws'], maxIncidents: 10, maxBacklog: 100 } as const
  const store = openStore({ dataDir, ...limits, now: () => clock.now() }, db)
  t.after(() => store.close())
  const { scheduler, passAll } = manualScheduler()
  const replies = new Mailbox<Committed>({ capacity: 64 })
  const deliveries = new Mailbox<Deliver>({ capacity: 64 })
  const attempts: number[] = []
  const unwritten = new UnwrittenResults()
  const handle = {
    clock,
    store,
    db,
    disk: 'good' as 'good' | 'full' | 'broken',
    writes: 0,
    reports: [] as string[],
    subscribed: false,
    published: [] as TailEvent[],
    offer: (mail: StorageMail) => assert.ok(cell.mailbox.offer(mail)),
    pass: passAll,
    tell(mail: StorageMail) {
      handle.offer(mail)
      passAll()
    },
    commit(incidents = 1) {
      const drafts = Array.from({ length: incidents }, () => draft(clock.now()))
      handle.tell({ kind: 'commit', front: 0, batch: 1, submissions: packSubmissions([{ drafts }]) })
    },
    settle: (verdict: Settlement['verdict'], attempt?: Settlement['attempt']) => handle.tell(settle(verdict, attempt)),
    /** Waits for both failures of a message and the restarts after them. */
    async rebuilt() {
      for (let round = 0; round < 4; round++) {
        clock.advance(10_000)
        await new Promise(setImmediate)
        passAll()
      }
    },
    /** The attempt number of each dispatch so far. */
    dispatched() {
      attempts.push(...deliveries.take(64).messages.map(({ dispatch }) => dispatch.attempt))
      return attempts
    },
  }
  const write = <T>(work: () => T) => {
    handle.writes++
    if (handle.disk === 'full') throw new CodedError('storage_full')
    if (handle.disk === 'broken') throw new Error('a fault of ours')
    return store.write(work)
  }
  const publisher: EventPublisher = {
    get hasSubscribers() {
      return handle.subscribed
    },
    publish: (event) => void handle.published.push(event),
  }
  const cell = new Cell<StorageMail>(
    {
      name: 'storage',
      batch: 64,
      slots: 'held',
      mailbox: { capacity: 64 },
      build: () =>
        storageActor({
          store: { ...store, write },
          ingest: nearRef('ingest', replies, 64),
          senders: new Map([['chatws', nearRef<Deliver>('sender/chatws', deliveries, 64)]]),
          maxInFlightBytes: 1_000_000,
          mayDispatch: () => true,
          diskRefused: () => handle.reports.push('refused'),
          diskRecovered: () => handle.reports.push('recovered'),
          noticesStuck: (channel) => handle.reports.push(`stuck ${channel}`),
          unwritten,
          tasks: [],
          clock,
          publisher,
        }),
    },
    { clock, scheduler, report: { failed() {}, deadLetter() {} } },
  )
  return handle
}
