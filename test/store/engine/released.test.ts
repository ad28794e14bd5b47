import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore } from '../database.ts'
import { draft, entryOf, freshDir, START, turn } from '../support.ts'

const LIMITS = { channels: ['chatws'], maxIncidents: 100, maxBacklog: 100 } as const

test('what is applied without an fsync is released by the next transaction with one, also when that changes nothing else', (t) => {
  const dataDir = freshDir(t)
  const store = openStore({ dataDir, ...LIMITS, now: () => START })
  t.after(() => store.close())
  const state = () => {
    const { applied, released } = store.journal.progress()
    return { applied, released, walBytes: statSync(join(dataDir, 'tocsin.db-wal')).size }
  }
  turn(store, { entries: [entryOf(1, [{ drafts: [draft()] }])] })
  const before = state()
  assert.deepEqual([before.applied, before.released], [1, 0])
  assert.equal(store.operator.resend('01930000-0000-7000-8000-00000000ffff'), false)
  const after = state()
  assert.deepEqual([after.applied, after.released], [1, 1])
  assert.ok(after.walBytes > before.walBytes, 'SQLite syncs only what it writes')
  store.operator.resend('01930000-0000-7000-8000-00000000ffff')
  assert.deepEqual(state(), after, 'all is synced, so nothing is written')
})
