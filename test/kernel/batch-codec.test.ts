import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pack, unpack } from '../../src/kernel/batch-codec.ts'

const crossed = (messages: readonly unknown[]) => unpack(structuredClone(pack(messages)))

const value = fc.oneof(
  fc.constantFrom(0, -0, Number.NaN, undefined, null, 'same', true),
  fc.double(),
  fc.string(),
  fc.bigInt(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.record({ inner: fc.string() }),
  fc.uint8Array({ maxLength: 4 }),
)
const alike = fc.record({ kind: fc.constantFrom('settle', 'deliver'), n: fc.double(), rest: value })
const message = fc.oneof({ weight: 8, arbitrary: alike }, fc.record({ kind: fc.string() }), value)

test('messages of any shape arrive as their clones would', () => {
  const lists = fc.oneof(fc.array(alike, { maxLength: 20 }), fc.array(message, { maxLength: 20 }))
  fc.assert(fc.property(lists, (messages) => assert.deepEqual(crossed(messages), structuredClone(messages))))
})

test('messages that differ in a property name, or in the order of names, keep their own', () => {
  const a = { kind: 'a', n: 1, more: 2 }
  for (const b of [
    { kind: 'a', n: 1 },
    { kind: 'a', more: 2, n: 1 },
    { kind: 'a', n: 1, more: 2, most: 3 },
  ]) {
    const messages = [a, a, a, b]
    assert.deepEqual(
      crossed(messages).map((each) => JSON.stringify(each)),
      messages.map((each) => JSON.stringify(each)),
    )
  }
})

test('an object that messages share is shared on the other side', () => {
  const shared = { bytes: new Uint8Array(4) }
  const [first, ...others] = crossed(Array.from({ length: 5 }, (_, n) => ({ kind: 'part', n, shared })))
  for (const other of others) assert.equal((other as { shared: object }).shared, (first as { shared: object }).shared)
})

test('messages of one shape cross as columns, and a common value crosses once', () => {
  const packed = pack(Array.from({ length: 100 }, (_, n) => ({ kind: 'numbered', n })))
  assert.ok('columns' in packed)
  assert.deepEqual(packed.columns[0], ['numbered'])
})
