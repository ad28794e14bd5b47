import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StorageMail } from '../../../actors/messages/mailboxes.ts'
import { PAUSE_MS } from '../../../actors/store/storage.ts'
import type { Attempt } from '../../../src/domain/delivery/delivery.ts'
import type { Settlement } from '../../../src/domain/delivery/dispatch.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { failAt, rowsOf } from '../../store/database.ts'
import { backlogOf } from '../../store/support.ts'
import { StorageRig } from './storage-rig.ts'

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

test('an incident that cannot be applied is reported, and all else of the turn is done', (t) => {
  const storage = given(t)
  storage.commit()
  storage.settle({ state: 'pending', at: storage.clock.now() + 10_000 })
  failAt(storage.db, [3])
  storage.commit(3)
  assert.deepEqual(
    storage.quarantined.map(({ first, last }) => [first, last]),
    [[3, 3]],
  )
  storage.clock.advance(10_000)
  assert.deepEqual(storage.dispatched(), [1, 1, 1, 1])
  assert.deepEqual([storage.progress.applied, storage.progress.backlog], [4, 3])
})

test('a damaged frame goes to quarantine, and the next ones are applied', (t) => {
  const storage = given(t)
  storage.append(2)
  storage.append()
  Object.assign(storage.files[0] ?? {}, { damage: 'the checksum is wrong' })
  storage.tell({ kind: 'appended' })
  assert.deepEqual(storage.quarantined, [{ first: 1, last: 2, error: 'the checksum is wrong' }])
  assert.deepEqual([storage.progress.applied, storage.dispatched()], [3, [1]])
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

const KEY = { kind: 'delivery', destination: 'chatws', code: 0, incident: 1, number: 0 } as const

function settle(verdict: Settlement['verdict'], attempt?: Settlement['attempt']): StorageMail {
  return { kind: 'settle', settlement: { ...KEY, verdict, ...(attempt && { attempt }) } }
}

test('frames that were committed before are applied without mail, turn by turn', (t) => {
  const storage = given(t, (rig) => {
    for (let n = 0; n < 40; n++) rig.append(50)
  })
  storage.clock.advance(PAUSE_MS)
  const first = storage.progress.applied
  assert.ok(first > 0 && first < 2_000, `one turn has applied ${first}`)
  storage.clock.advance(1_000)
  assert.deepEqual([storage.progress.applied, storage.store.status.counters().incidents], [2_000, 2_000])
})

test('the slot of an announcement is freed when storage looks at the journal, not while it rests', (t) => {
  const storage = given(t, () => {}, { channels: [] })
  storage.commit(100)
  assert.equal(storage.cell.mailbox.occupied, 0)
  storage.commit()
  assert.deepEqual([storage.cell.mailbox.occupied, storage.progress.applied], [1, 100])
  storage.clock.advance(1_000)
  assert.deepEqual([storage.cell.mailbox.occupied, storage.progress.applied], [0, 101])
})

test('an announcement of what a rest finds applied already does not keep the journal from the next one', (t) => {
  const storage = given(t, () => {}, { channels: [] })
  storage.commit(100)
  storage.tell({ kind: 'appended' })
  assert.deepEqual([storage.cell.mailbox.occupied, storage.progress.applied], [1, 100])
  storage.clock.advance(1_000)
  assert.equal(storage.cell.mailbox.occupied, 0)
})

test('frames of a turn that failed are applied by the next actor', async (t) => {
  const storage = given(t)
  storage.commit()
  storage.disk = 'broken'
  storage.commit()
  storage.disk = 'good'
  await storage.rebuilt()
  assert.deepEqual([storage.progress.applied, storage.cell.mailbox.occupied, storage.dispatched()], [2, 0, [1, 1]])
})

test('the first mail after a rest is handled at once; under load mail gathers for the next turn', async (t) => {
  const storage = given(t)
  const settling = () => storage.offer(settle({ state: 'released' }))
  storage.clock.advance(1_000)
  storage.append()
  storage.writes = 0
  storage.offer({ kind: 'appended' })
  storage.pass()
  assert.deepEqual([storage.writes, storage.dispatched()], [1, [1]])
  for (let n = 0; n < 5; n++) {
    settling()
    storage.pass()
  }
  assert.equal(storage.writes, 1)
  storage.clock.advance(PAUSE_MS)
  await new Promise(setImmediate)
  storage.pass()
  assert.equal(storage.writes, 2)
  storage.clock.advance(PAUSE_MS)
  assert.equal(storage.cell.mailbox.occupied, 0)
  assert.ok(storage.writes <= 4, `${storage.writes} turns`)
})

test('keys are found as soon as their incidents are applied', (t) => {
  const storage = given(t)
  storage.tell({ kind: 'lookup', lookup: 1, keys: ['k'] })
  storage.commit(2, { key: 'k' })
  storage.tell({ kind: 'lookup', lookup: 2, keys: ['other', 'k'] })
  assert.deepEqual(
    storage.found.map(({ ids }) => ids),
    [[null], [null, '01930000-0000-7000-8000-000000000001']],
  )
  assert.equal(storage.cell.mailbox.occupied, 0)
})

test('a lookup that cannot be answered is said to be so', async (t) => {
  const storage = given(t)
  storage.lookups = 'broken'
  storage.tell({ kind: 'lookup', lookup: 1, keys: ['k'] })
  await storage.rebuilt()
  assert.deepEqual(
    storage.found.map(({ ids }) => ids),
    [undefined],
  )
})

test('an idle moment releases what is applied, so that the journal need not keep it', (t) => {
  const storage = given(t, () => {}, { channels: [] })
  storage.commit(3)
  assert.deepEqual([storage.progress.applied, storage.progress.released], [3, 0])
  storage.clock.advance(5_000)
  assert.equal(storage.progress.released, 3)
})

test('what retention would delete at once is not stored while nobody listens', (t) => {
  const flood = (subscribed: boolean) => {
    const storage = given(
      t,
      (rig) => {
        for (let n = 0; n < 20; n++) rig.append(10)
        rig.subscribed = subscribed
      },
      { channels: [], maxIncidents: 10 },
    )
    storage.clock.advance(5_000)
    const inserted = rowsOf(storage.db, 'SELECT first FROM contents').length
    return [
      storage.progress.applied,
      storage.store.status.counters().incidents,
      inserted <= 2,
      storage.published.length,
    ]
  }
  assert.deepEqual(
    [flood(false), flood(true).slice(0, 2)],
    [
      [200, 10, true, 0],
      [200, 10],
    ],
  )
})

/** Storage with one sender. `before`: called before the actor starts. */
function given(t: TestContext, before: (rig: StorageRig) => void = () => {}, changes: Partial<StoreOptions> = {}) {
  const rig = new StorageRig(t, { maxIncidents: 10_000, ...changes }, { before })
  const attempts: number[] = []
  return Object.assign(rig, {
    settle: (verdict: Settlement['verdict'], attempt?: Settlement['attempt']) => rig.tell(settle(verdict, attempt)),
    /** The attempt number of each dispatch so far. */
    dispatched() {
      attempts.push(...(rig.senders.get('chatws')?.take(64).messages ?? []).map(({ dispatch }) => dispatch.attempt))
      return attempts
    },
  })
}
