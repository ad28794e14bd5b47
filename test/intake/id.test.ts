import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdMaker } from '../../src/intake/id.ts'

const NOW = 1_700_000_000_123
/** Version 7, variant 2. */
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The first 48 bits of an id, as epoch milliseconds. */
const msOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

test('an id is a UUIDv7 of its millisecond', () => {
  const newId = createIdMaker(() => NOW)
  for (let n = 0; n < 1_000; n++) {
    const id = newId()
    assert.match(id, UUID_V7)
    assert.equal(msOf(id), NOW)
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
