import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../src/store/store.ts'
import { draft, entryOf, freshDir, roomAt, START, turn } from '../support.ts'

const LIMITS = { channels: ['chatws'], maxIncidents: 100, maxBacklog: 100 } as const

test('what is applied without an fsync is released by the next transaction that writes, and by no other', (t) => {
  const store = openStore({ dataDir: freshDir(t), ...LIMITS, now: () => START })
  t.after(() => store.close())
  const released = () => store.journal.progress().released
  turn(store, { entries: [entryOf(1, [{ drafts: [draft()] }])] })
  assert.deepEqual([store.journal.progress().applied, released()], [1, 0])
  assert.equal(store.operator.resend('01930000-0000-7000-8000-00000000ffff'), false)
  store.outbox.makeDueNow()
  assert.equal(released(), 0, 'nothing was written, so nothing was synced')
  turn(store, { capacity: roomAt('chatws') })
  assert.equal(released(), 1)
})
