import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '../../src/validate/validator.ts'

test('what was dropped gives its room to the next bodies before the memory grows', () => {
  const validator = new Validator()
  const body = Buffer.from(JSON.stringify({ x: 'x'.repeat(20 * 1024 * 1024) }))
  const kept = Buffer.from('{"kept":1}')
  // In all 160 MiB; the memory has 144 MiB, and no more than 120 MiB are kept at a time.
  for (let n = 0; n < 5; n++) validator.add(body, 'json')
  for (let n = 0; n < 2; n++) validator.drop(body.length)
  validator.add(kept, 'json')
  for (let n = 0; n < 3; n++) validator.add(body, 'json')
  validator.drop(3 * body.length)
  assert.equal(Buffer.from(validator.first(kept.length)).toString(), kept.toString())
  validator.drop(kept.length)
  assert.ok(Buffer.from(validator.first(body.length)).equals(body))
})
