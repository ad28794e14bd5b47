import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { ON_FILES, openDatabase, openStore, rowsOf } from '../../store/database.ts'
import { draft, entriesFor, StoreRig, turn } from '../../store/support.ts'

const json = (payload: unknown) => Buffer.from(JSON.stringify(payload))

test('payloads of any size and shape are indexed, and one step reads a bounded number of bytes', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 1_000 })
  const numbers = json({ numbers: Array.from({ length: 400_000 }, () => 1) })
  const nested = json(Array.from({ length: 63 }).reduce((inner) => ({ inner }), 'bottom'))
  const log = json({ log: `beginning ${'x '.repeat(400_000)} end` })
  const ids = [numbers, nested, log].map((content) => rig.spill({ content }))
  for (let n = 0; n < 20; n++) rig.spill({ content: numbers })
  let calls = 0
  const find = (q: string) => {
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; calls++) {
      const page = rig.store.incidents.list({ limit: 50, q, ...(cursor && { cursor }) })
      seen.push(...page.incidents.map(({ id }) => id))
      cursor = page.next_cursor
    }
    return seen
  }
  assert.deepEqual([find('bottom'), find('beginning'), find('end')], [[ids[1]], [ids[2]], []])
  assert.ok(calls > 6, `${calls} calls`)
  while (rig.store.maintenance.index(50) > 0);
  assert.deepEqual([find('bottom'), find('beginning'), find('end')], [[ids[1]], [ids[2]], []])
})

/** Texts of hashes, no two alike. */
function digests(characters: number): string {
  let text = ''
  while (text.length < characters) text += `${hash('md5', String(serial++)).slice(0, 8)} `
  return text
}
let serial = 0

test('the index stays in few segments, and a step takes few large payloads', ON_FILES, (t) => {
  const rig = new StoreRig(t, { channels: [] })
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  const store = openStore(rig.options, db)
  t.after(() => store.close())
  const segments = () =>
    rowsOf<{ segments: number }>(db, 'SELECT count(DISTINCT id >> 37) AS segments FROM search_data WHERE id > 10')[0]
      ?.segments ?? 0
  let most = 0
  for (let n = 0; n < 100; n++) {
    const drafts = Array.from({ length: 6 }, () => draft({ content: json({ log: digests(20_000) }) }))
    turn(store, { entries: entriesFor(store, [{ drafts }]) })
    assert.deepEqual([store.maintenance.index(10), store.maintenance.index(10), store.maintenance.index(10)], [3, 3, 0])
    most = Math.max(most, segments())
  }
  assert.ok(most < 48, `${most} segments`)
})
