import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Committed } from '../../../actors/messages/ingest-storage.ts'
import type { StorageMail } from '../../../actors/messages/mailboxes.ts'
import { type Deliver, PAGE_WINDOW, settle } from '../../../actors/messages/storage-send.ts'
import { storageActor } from '../../../actors/store/storage.ts'
import { UnwrittenResults } from '../../../actors/store/unwritten-results.ts'
import type { DispatchVerdict } from '../../../src/domain/delivery.ts'
import { keyOf, type Page } from '../../../src/domain/dispatch.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { TailEvent } from '../../../src/domain/event.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox, type Slot } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import { openStore } from '../../../src/store/store.ts'
import { folder } from '../../harness/config-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'
import { draft } from '../support.ts'

const WAIT_MS = 180_000
const HOUR_MS = 3_600_000

test('a page goes out once, when it is due', (t) => {
  const storage = given(t)
  storage.commit(1)
  storage.clock.advance(WAIT_MS - 1)
  assert.equal(storage.pages().length, 0)
  storage.clock.advance(1)
  assert.equal(storage.pages().length, 1)
  storage.clock.advance(HOUR_MS)
  assert.equal(storage.pages().length, 0)
})

for (const jumpMs of [HOUR_MS, -HOUR_MS, 30 * 24 * HOUR_MS, -30 * 24 * HOUR_MS])
  test(`with a clock that jumps by ${jumpMs / HOUR_MS} h an incident is paged once and on time`, (t) => {
    const storage = given(t)
    storage.commit(1)
    storage.clock.advance(60_000)
    storage.clock.jump(jumpMs)
    storage.commit(1)
    storage.clock.advance(WAIT_MS - 60_000 - 10)
    assert.equal(storage.pages().length, 0)
    storage.clock.advance(20)
    const [first, ...more] = storage.pages()
    assert.equal(more.length, 0)
    assert.ok(Math.abs((first?.dueAt ?? 0) - storage.clock.now()) < 50, 'the time on record is the new clock’s')
    storage.clock.jump(-jumpMs)
    storage.clock.advance(60_000)
    assert.equal(storage.pages().length, 1)
    storage.clock.advance(2 * WAIT_MS)
    assert.equal(storage.pages().length, 0)
  })

test('timers move with a clock that jumps while the disk refuses', (t) => {
  const storage = given(t)
  storage.commit(1)
  storage.disk = 'full'
  storage.clock.jump(HOUR_MS)
  storage.tell({ kind: 'peer', up: false })
  storage.clock.advance(5_000)
  storage.disk = 'good'
  storage.clock.advance(WAIT_MS - 5_000 - 10)
  assert.equal(storage.pages().length, 0)
  storage.clock.advance(1_000)
  assert.equal(storage.pages().length, 1)
})

test('10,000 timers due at one moment all go out within a second, a window at a time', (t) => {
  const storage = given(t)
  for (let n = 0; n < 100; n++) storage.commit(100)
  storage.clock.advance(WAIT_MS - 1_000)
  assert.equal(storage.pages().length, 0)
  storage.clock.advance(1_000)
  const seen = new Set<string>()
  for (let held = storage.pages(); held.length > 0; held = storage.pages()) {
    assert.ok(held.length <= PAGE_WINDOW)
    for (const { id } of held) seen.add(id)
    storage.settleAll(held, { state: 'sent' })
  }
  assert.equal(seen.size, 10_000)
  assert.deepEqual(storage.store.oncall.counters(), { armed: 0, overdue: 0 })
})

test('a page stays on disk until the pager has a free slot', (t) => {
  const storage = given(t)
  storage.commit(PAGE_WINDOW + 1)
  storage.clock.advance(WAIT_MS)
  const held = storage.pages()
  assert.equal(held.length, PAGE_WINDOW)
  storage.clock.advance(HOUR_MS)
  assert.equal(storage.pages().length, 0)
  storage.settleAll(held.slice(0, 1), { state: 'sent' })
  assert.equal(storage.pages().length, 1)
})

test('pages that a dead pager held go out again, flagged as possible duplicates', (t) => {
  const storage = given(t)
  storage.commit(2)
  storage.clock.advance(WAIT_MS)
  const [settled, lost] = storage.pages()
  storage.settleAll([settled as Page], { state: 'sent' })
  storage.tell({ kind: 'peer', up: false })
  const again = storage.pages()
  assert.deepEqual(
    again.map(({ id, mayDuplicate }) => [id, mayDuplicate]),
    [[lost?.id, true]],
  )
})

test('a result that the disk refused is written when the disk recovers, and no page goes out twice', (t) => {
  const storage = given(t)
  storage.commit(1)
  storage.clock.advance(WAIT_MS)
  const [page] = storage.pages()
  storage.disk = 'full'
  storage.settleAll([page as Page], { state: 'sent' })
  storage.disk = 'good'
  storage.clock.advance(HOUR_MS)
  assert.equal(storage.pages().length, 0)
  assert.equal(storage.store.incidents.detail(page?.id ?? '')?.oncall?.state, 'paged')
})

test('no page goes out while the senders are drained', (t) => {
  const storage = given(t)
  storage.commit(1)
  storage.mayDispatch = false
  storage.clock.advance(HOUR_MS)
  assert.equal(storage.pages().length, 0)
  storage.mayDispatch = true
  storage.tell({ kind: 'peer', up: true })
  assert.equal(storage.pages().length, 1)
})

test('every change of phase is published', (t) => {
  const storage = given(t)
  storage.commit(1)
  storage.clock.advance(WAIT_MS)
  storage.settleAll(storage.pages(), { state: 'dead', reason: 'HTTP 400: no' })
  assert.deepEqual(
    storage.events.flatMap((event) => (event.kind === 'oncall' ? [[event.action, event.detail]] : [])),
    [
      ['armed', `pages at ${new Date(1_700_000_000_000 + WAIT_MS).toISOString()}`],
      ['failed', 'trigger: HTTP 400: no'],
    ],
  )
})

/** Storage over a real store, with a pager that keeps the pages it gets. */
function given(t: TestContext) {
  const clock = new ManualClock()
  const store = openStore({
    dataDir: folder(),
    channels: [],
    maxIncidents: 1_000_000,
    maxBacklog: 1_000_000,
    oncall: { enable: true, waitMs: WAIT_MS, provider: 'webhook' },
    now: () => clock.now(),
  })
  t.after(() => store.close())
  const { scheduler, passAll } = manualScheduler()
  const replies = new Mailbox<Committed>({ capacity: 64 })
  const pager = new Mailbox<Deliver<Page>>({ capacity: PAGE_WINDOW })
  const slots = new Map<number, Slot>()
  const unwritten = new UnwrittenResults()
  const handle = {
    clock,
    store,
    disk: 'good' as 'good' | 'full',
    mayDispatch: true,
    events: [] as TailEvent[],
    tell(mail: StorageMail) {
      assert.ok(cell.mailbox.offer(mail))
      passAll()
    },
    commit(count: number) {
      const drafts = Array.from({ length: count }, () => draft(clock.now()))
      handle.tell({ kind: 'commit', front: 0, batch: 1, submissions: packSubmissions([{ drafts }]) })
      for (const slot of replies.take(64).slots) slot.free()
    },
    /** Pages dispatched since the last call; each keeps its slot until it is settled. */
    pages(): Page[] {
      const taken = pager.take(1_000)
      return taken.messages.map(({ dispatch: page }, at) => {
        slots.set(page.incident, taken.slots[at] as Slot)
        return page
      })
    },
    settleAll(pages: readonly Page[], verdict: DispatchVerdict) {
      for (const page of pages) {
        slots.get(page.incident)?.free()
        assert.ok(cell.mailbox.offer(settle({ ...keyOf(page), verdict })))
      }
      passAll()
    },
  }
  const write = <T>(work: () => T) => {
    if (handle.disk === 'full') throw new CodedError('storage_full')
    return store.write(work)
  }
  const cell = new Cell<StorageMail>(
    {
      name: 'storage',
      batch: 4_096,
      slots: 'held',
      mailbox: { capacity: 4_096 },
      build: () =>
        storageActor({
          store: { ...store, write },
          ingest: nearRef('ingest', replies, 64),
          senders: new Map([['oncall', nearRef<Deliver>('oncall', pager as Mailbox<Deliver>, PAGE_WINDOW)]]),
          maxInFlightBytes: 1_000_000,
          mayDispatch: () => handle.mayDispatch,
          diskRefused() {},
          diskRecovered() {},
          noticesStuck() {},
          publisher: { hasSubscribers: true, publish: (event) => void handle.events.push(event) },
          unwritten,
          tasks: [],
          clock,
        }),
    },
    { clock, scheduler, report: { failed() {}, deadLetter() {} } },
  )
  return handle
}
