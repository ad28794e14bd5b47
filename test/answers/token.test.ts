import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerKey, readToken, tokenOf } from '../../src/answers/token.ts'
import type { AnswerOrder } from '../../src/domain/answer.ts'
import { linkPath } from '../../src/oncall/ack-links.ts'

const SECRET = randomBytes(32)
const KEY = answerKey(SECRET)
const ID = '019a5c3e-7b2a-7c11-8d4e-00000000002a'
const ORDER: AnswerOrder = { action: 'acknowledge', subject: { kind: 'incident', id: ID } }

const incident = fc.uuid().map((id) => ({ kind: 'incident' as const, id }))
const subject = fc.oneof(
  incident,
  fc.record({
    kind: fc.constant('digest' as const),
    number: fc.nat({ max: 999_999_999_999_999 }),
    revision: fc.nat({ max: 4_000_000_000 }),
  }),
)
const order: fc.Arbitrary<AnswerOrder> = fc.oneof(
  fc.record({
    action: fc.constantFrom(
      ...(['acknowledge', 'resolve', 'silence_until_resolved', 'end_silence', 'acknowledge_all', 'test'] as const),
    ),
    subject,
  }),
  fc.record({
    action: fc.constant('silence' as const),
    minutes: fc.integer({ min: 1, max: 43_200 }),
    subject: incident,
  }),
)
const phone = fc.option(
  fc.record({ topic: fc.stringMatching(/^[\w.@-]{0,64}$/), expiresAt: fc.nat({ max: 9_999_999_999_999 }) }),
  { nil: undefined },
)

test('what a token says is read again, and one for a chat has at most 56 bytes', () => {
  fc.assert(
    fc.property(order, phone, (order, phone) => {
      const token = tokenOf(KEY, order, phone)
      assert.deepEqual(readToken(KEY, token), JSON.parse(JSON.stringify({ order, phone })))
      if (!phone) assert.ok(Buffer.byteLength(token) <= 56, token)
    }),
  )
})

test('a button has the same token each time it is made', () => {
  assert.equal(tokenOf(KEY, ORDER), tokenOf(KEY, ORDER))
  assert.match(tokenOf(KEY, { ...ORDER, action: 'silence', minutes: 60 }), /^1s60\.iAZpcPnsqfBGNTgAAAAAAKg\.[\w-]{22}$/)
})

test('a token with any other character is forged', () => {
  const token = tokenOf(KEY, ORDER)
  fc.assert(
    fc.property(fc.nat({ max: token.length - 1 }), fc.string({ minLength: 0, maxLength: 2 }), (at, other) => {
      const changed = token.slice(0, at) + other + token.slice(at + 1)
      if (changed !== token) assert.equal(readToken(KEY, changed), undefined)
    }),
  )
})

test('any text is a token or none', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => readToken(KEY, text) === undefined))
  assert.equal(readToken(KEY, '1'.repeat(300_000)), undefined)
})

test('a token of another service is forged', () => {
  assert.equal(readToken(answerKey(randomBytes(32)), tokenOf(KEY, ORDER)), undefined)
})

test('no signature of an acknowledge link signs a token', () => {
  const text = tokenOf(KEY, ORDER).split('.').slice(0, -1).join('.')
  const ofLinks = createHmac('sha256', SECRET).update(text).digest().subarray(0, 16).toString('base64url')
  assert.equal(readToken(KEY, `${text}.${ofLinks}`), undefined)
  assert.equal(readToken(KEY, linkPath(SECRET, { id: ID, createdAt: 0 })), undefined)
})
