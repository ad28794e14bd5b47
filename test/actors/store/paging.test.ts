import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { PAGE_WINDOW } from '../../../actors/messages/storage-send.ts'
import { PAUSE_MS } from '../../../actors/store/storage.ts'
import type { DispatchVerdict } from '../../../src/domain/delivery/delivery.ts'
import { keyOf, type Page } from '../../../src/domain/delivery/dispatch.ts'
import type { Slot } from '../../../src/kernel/mailbox.ts'
import { StorageRig } from './storage-rig.ts'

const WAIT_MS = 180_000
const HOUR_MS = 3_600_000

for (const jumpMs of [0, HOUR_MS, -HOUR_MS, 30 * 24 * HOUR_MS, -30 * 24 * HOUR_MS])
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

test('2,000 timers due at one moment all go out within a second, a window at a time', (t) => {
  const storage = given(t)
  for (let n = 0; n < 20; n++) storage.commit(100)
  storage.clock.advance(WAIT_MS - 1_000)
  assert.equal(storage.pages().length, 0)
  storage.clock.advance(1_000)
  const seen = new Set<string>()
  for (let held = storage.pages(); held.length > 0; held = storage.pages()) {
    assert.ok(held.length <= PAGE_WINDOW)
    for (const { id } of held) seen.add(id)
    storage.settleAll(held, { state: 'sent' })
  }
  assert.equal(seen.size, 2_000)
  assert.deepEqual(storage.store.status.state().oncall, { armed: 0, overdue: 0, forgotten: 0 })
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
    storage.published.flatMap((event) => (event.kind === 'oncall' ? [[event.action, event.detail]] : [])),
    [
      ['armed', `pages at ${new Date(1_700_000_000_000 + PAUSE_MS + WAIT_MS).toISOString()}`],
      ['failed', 'trigger: HTTP 400: no'],
    ],
  )
})

/** Storage with a pager that keeps the pages it gets. */
function given(t: TestContext) {
  const limits = { channels: [], maxIncidents: 1_000_000, maxBacklog: 1_000_000 }
  const rig = new StorageRig(t, { ...limits, oncall: { enable: true, waitMs: WAIT_MS, provider: 'webhook' } })
  rig.subscribed = true
  const slots = new Map<number, Slot>()
  const commit = rig.commit.bind(rig)
  return Object.assign(rig, {
    /** Incidents of as many problems. */
    commit: (incidents: number) => commit(incidents, {}, (number) => ({ ServiceName: `ledger ${number}` })),
    /** Pages dispatched since the last call; each keeps its slot until it is settled. */
    pages(): Page[] {
      const taken = rig.senders.get('oncall')?.take(1_000) ?? assert.fail('no pager')
      return taken.messages.flatMap(({ dispatch: page }, at) => {
        slots.set(page.incident, taken.slots[at] as Slot)
        return page.kind === 'page' ? [page] : []
      })
    },
    settleAll(pages: readonly Page[], verdict: DispatchVerdict) {
      rig.clock.advance(PAUSE_MS)
      for (const page of pages) {
        slots.get(page.incident)?.free()
        rig.offer({ kind: 'settle', settlement: { ...keyOf(page), verdict } })
      }
      rig.pass()
    },
  })
}
