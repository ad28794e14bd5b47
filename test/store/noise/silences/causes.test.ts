import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoreContext } from '../../../../src/store/engine/context.ts'
import type { Sql } from '../../../../src/store/engine/sql.ts'
import { openStatements } from '../../../../src/store/engine/statement.ts'
import { openCauses } from '../../../../src/store/noise/silences/causes.ts'

/** A database without rows. */
const NONE = {
  prepare: () => ({ setReturnArrays() {}, columns: () => [], get: () => undefined, all: () => [], run() {} }),
} as unknown as Sql

test('one more keeper of a silence is added to those that memory has without a copy of them', () => {
  const caches: StoreContext['caches'] = []
  const causes = openCauses({ db: openStatements(NONE), caches } as StoreContext, { of: () => ({}) as never })
  const known = causes.of(1)
  assert.equal(causes.set(1, 7, true), true)
  assert.equal(causes.set(1, 8, true), true)
  assert.equal(causes.set(1, 7, true), false)
  assert.equal(causes.set(1, 7, false), true)
  assert.equal(causes.of(1), known)
  assert.deepEqual([...known], [8])
  for (const cache of caches) cache.rollback()
  assert.deepEqual([...causes.of(1)], [])
})
