import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Committed } from '../../../actors/messages/ingest-storage.ts'
import type { StorageMail } from '../../../actors/messages/mailboxes.ts'
import type { Deliver } from '../../../actors/messages/storage-send.ts'
import { storageActor } from '../../../actors/store/storage.ts'
import { UnwrittenResults } from '../../../actors/store/unwritten-results.ts'
import type { Settlement } from '../../../src/domain/commit.ts'
import type { Attempt } from '../../../src/domain/delivery.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { EventPublisher, TailEvent } from '../../../src/domain/event.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef, noRef } from '../../../src/kernel/ref.ts'
import { CHANNEL_CODE, STATE } from '../../../src/store/engine/column-codes.ts'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import { openStore } from '../../../src/store/store.ts'
import { folder } from '../../harness/config-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'
import { backlogOf } from '../../store/support.ts'
import { draft } from '../support.ts'

test('a disk that refuses is asked again twice a second, not in a loop', (t) => {
  const storage = given(t)
  storage.commit()
  storage.settle({ state: 'pending', at: storage.clock.now() + 10 })
  storage.disk = 'full'
  storage.writes = 0
  storage.clock.advance(5_000)
  assert.ok(storage.writes > 5 && storage.writes < 30, `${storage.writes} writes in 5 s`)
  assert.deepEqual(storage.said, ['refused'])
  storage.disk = 'good'
  storage.clock.advance(1_000)
  assert.deepEqual(storage.said, ['refused', 'recovered'])
  assert.deepEqual(storage.handedOut(), [1, 1])
})

test('a full disk in an idle moment costs nothing', (t) => {
  const storage = given(t)
  storage.commit()
  storage.settle({ state: 'sent' })
  storage.disk = 'full'
  storage.clock.advance(10_000)
  assert.deepEqual(storage.said, ['refused'])
})

test('senders that are lost while the disk refuses are given their deliveries again when it recovers', (t) => {
  const storage = given(t)
  storage.commit()
  storage.disk = 'full'
  storage.tell({ kind: 'peer', up: false })
  storage.tell({ kind: 'peer', up: true })
  storage.disk = 'good'
  storage.clock.advance(1_000)
  assert.deepEqual(storage.handedOut(), [1, 1])
})

test('what the disk refused is still written when the actor has been started anew', async (t) => {
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

test('a settlement that cannot be written twice goes on without its attempt', async (t) => {
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

test('an outcome told before the sender was lost is not handed out again', (t) => {
  const storage = given(t)
  storage.commit()
  storage.offer(settle({ state: 'sent' }))
  storage.offer({ kind: 'peer', up: false })
  storage.pass()
  storage.clock.advance(1_000)
  assert.deepEqual(storage.handedOut(), [1])
})

test('places that were meant for what could not be filed are free for what is due', (t) => {
  const storage = given(t)
  storage.commit()
  storage.settle({ state: 'pending', at: storage.clock.now() + 10_000 })
  storage.db.exec(
    `INSERT INTO deliveries (incident, channel, state) VALUES (65, ${CHANNEL_CODE.chatws}, ${STATE.sent})`,
  )
  storage.commit(64)
  storage.clock.advance(1_000)
  assert.equal(storage.store.status.counters().quarantinedIncidents, 64)
  storage.clock.advance(10_000)
  assert.deepEqual(storage.handedOut(), [1, 1])
})

test('what is on disk is told to whoever watches, what the disk refuses is not', (t) => {
  const storage = given(t)
  storage.commit()
  storage.watched = true
  storage.disk = 'full'
  storage.settle({ state: 'dead', reason: 'no such room' }, ATTEMPT)
  assert.equal(storage.told.length, 0)
  storage.disk = 'good'
  storage.clock.advance(1_000)
  storage.commit()
  assert.deepEqual(
    storage.told.map((event) => [event.kind, event.kind === 'delivery' && [event.state, event.attempt, event.title]]),
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

function settle(verdict: Settlement['verdict'], attempt?: Settlement['attempt']): StorageMail {
  return { kind: 'settle', settlement: { incident: 1, channel: 'chatws', verdict, ...(attempt && { attempt }) } }
}

/** Storage over a real store whose disk fails on demand, with one sender that keeps what it is handed. */
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
  const owed = new UnwrittenResults()
  const handle = {
    clock,
    store,
    db,
    disk: 'good' as 'good' | 'full' | 'broken',
    writes: 0,
    said: [] as string[],
    watched: false,
    told: [] as TailEvent[],
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
    /** Through both failures of a message and the restarts after them. */
    async rebuilt() {
      for (let round = 0; round < 4; round++) {
        clock.advance(10_000)
        await new Promise(setImmediate)
        passAll()
      }
    },
    /** Number of the attempt of each hand-out so far. */
    handedOut() {
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
      return handle.watched
    },
    publish: (event) => void handle.told.push(event),
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
          pager: noRef(),
          senders: new Map([['chatws', nearRef<Deliver>('sender/chatws', deliveries, 64)]]),
          maxInFlightBytes: 1_000_000,
          mayDispatch: () => true,
          diskRefused: () => handle.said.push('refused'),
          diskRecovered: () => handle.said.push('recovered'),
          noticesStuck: (channel) => handle.said.push(`untold ${channel}`),
          unwritten: owed,
          tasks: [],
          clock,
          publisher,
        }),
    },
    { clock, scheduler, report: { failed() {}, deadLetter() {} } },
  )
  return handle
}
