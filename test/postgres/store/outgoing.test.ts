import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SyncPostgres } from '../../../src/postgres/sync.ts'
import { Outgoing, statementOf } from '../../../src/store/postgres/outgoing.ts'

const WORD = statementOf("INSERT INTO words (word, kind, at) VALUES ($1, 'noun, or ($1)', $2)")
const PAIR = statementOf('INSERT INTO pairs (a, b) VALUES ($1, 0), ($1, $2)')
const UPSERT = statementOf('INSERT INTO words (word) VALUES ($1) ON CONFLICT (word) DO UPDATE SET word = excluded.word')
const CHANGE = statementOf('UPDATE words SET at = $1 WHERE word = $2')

/** Returns what a connection was given after these statements. */
function sent(...added: readonly (readonly [typeof WORD, ...(string | number)[]])[]) {
  const queued: [string, readonly unknown[]][] = []
  const queue = (sql: string, values: readonly unknown[] = []) => void queued.push([sql, values])
  const outgoing = new Outgoing({ queue } as unknown as SyncPostgres)
  for (const [statement, ...values] of added) outgoing.add(statement, values)
  outgoing.drain()
  outgoing.drain()
  return queued
}

test('inserts into one table join over statements about others', () => {
  const queued = sent([WORD, 'a', 1], [PAIR, 1, 2], [WORD, 'b', 2], [PAIR, 3, 4], [WORD, 'c', 3], [WORD, 'd', 4])
  assert.deepEqual(queued[0], [
    `INSERT INTO words (word, kind, at) VALUES ${[1, 3, 5, 7].map((n) => `($${n}, 'noun, or ($1)', $${n + 1})`).join(', ')}`,
    ['a', 1, 'b', 2, 'c', 3, 'd', 4],
  ])
  assert.deepEqual(queued.slice(1), [
    [PAIR.sql, [1, 2]],
    [PAIR.sql, [3, 4]],
  ])
})

test('no insert goes before a statement about its table', () => {
  const order = sent([WORD, 'a', 1], [CHANGE, 5, 'a'], [WORD, 'b', 2], [UPSERT, 'b'], [WORD, 'c', 3])
  assert.deepEqual(
    order.map(([sql]) => sql),
    [WORD, CHANGE, WORD, UPSERT, WORD].map(({ sql }) => sql),
  )
})

test('many rows are sent in statements of few sizes', () => {
  const rows = Array.from({ length: 150 }, (_, at) => [WORD, `w${at}`, at] as const)
  const sizes = sent(...rows).map(([, values]) => values.length / 2)
  assert.deepEqual(sizes, [64, 64, 16, 4, 1, 1])
})
