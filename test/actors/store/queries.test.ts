import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { answerUpToDate, type QueryContext } from '../../../actors/store/queries.ts'
import type { IncidentPage } from '../../../src/api/incident.ts'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import { openStore } from '../../../src/store/store.ts'
import { commitAndApply, draft, freshDir, START, withCode } from '../../store/support.ts'

test('a query for one incident finds it behind entries that cannot be applied', (t) => {
  const { db, store, ask } = given(t)
  const behind = draft()
  for (const one of [draft(), draft(), behind])
    store.write(() => packSubmissions([{ drafts: [one] }]).map((packed) => store.journal.append(packed)))
  db.exec("UPDATE unfiled SET submissions = 'damaged' WHERE first < 3")
  const found = ask({ kind: 'incident', id: behind.id }) as { id: string } | undefined
  assert.equal(found?.id, behind.id)
})

test('on a full disk reads answer from what is applied, and fail for an incident that may be in the journal', (t) => {
  const { db, store, ask } = given(t)
  const applied = draft()
  store.write(() => commitAndApply(store, { drafts: [applied] }, () => false))
  const waiting = Array.from({ length: 500 }, () => draft({ title: 'x'.repeat(500) }))
  store.write(() => packSubmissions([{ drafts: waiting }]).map((packed) => store.journal.append(packed)))
  db.exec(`PRAGMA max_page_count = ${Number(db.prepare('PRAGMA page_count').get()?.page_count)}`)

  const list = ask({ kind: 'incidents', filter: { limit: 9 } }) as IncidentPage
  assert.deepEqual(
    list.incidents.map(({ id }) => id),
    [applied.id],
  )
  assert.equal((ask({ kind: 'incident', id: applied.id }) as { id: string }).id, applied.id)
  const id = waiting[0]?.id ?? ''
  for (const kind of ['incident', 'resend'] as const) assert.throws(() => ask({ kind, id }), withCode('storage_full'))
})

function given(t: TestContext) {
  const dataDir = freshDir(t)
  const db = openDatabase(dataDir)
  const limits = { channels: ['email'], maxIncidents: 10, maxBacklog: 1e6 } as const
  const store = openStore({ dataDir, ...limits, now: () => START }, db)
  t.after(() => store.close())
  const asked = {
    store,
    publisher: { hasSubscribers: false },
    wakeStorage() {},
    onSearch() {},
  } as unknown as QueryContext
  const ask = (query: Parameters<typeof answerUpToDate>[0]) => answerUpToDate(query, asked)
  return { db, store, ask }
}
