import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validate, version } from 'uuid'
import { createIdMaker } from '../../src/intake/id.ts'

const NOW = 1_700_000_000_123

/** The first 48 bits of an id, as epoch milliseconds. */
const msOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

test('an id is a UUIDv7 of its millisecond', () => {
  const newId = createIdMaker(() => NOW)
  for (let n = 0; n < 1_000; n++) {
    const id = newId()
    assert.deepEqual([validate(id), version(id), msOf(id)], [true, 7, NOW])
  }
})

test('ids sort as they were made, within a millisecond and when the clock is set back', () => {
  let now = NOW
  const newId = createIdMaker(() => now)
  const ids = Array.from({ length: 3_000 }, (_, n) => {
    now = NOW + (n % 1_000 === 999 ? -5 : Math.floor(n / 10))
    return newId()
  })
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
})
