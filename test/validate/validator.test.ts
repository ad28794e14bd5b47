import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Validator } from '../../src/validate/validator.ts'
import { agreedTexts, takeFrom } from './agreement.ts'

const taken = (validator: Validator) => takeFrom(validator).toString()

test('documents of accepted bodies lie one behind the other', () => {
  const validator = new Validator()
  assert.deepEqual(validator.add(Buffer.from('{"a":1}'), 'json'), { many: false, lengths: [7] })
  assert.deepEqual(validator.add(Buffer.from(' [ {"b":2} , {} ] '), 'json'), { many: true, lengths: [7, 2] })
  assert.deepEqual(validator.add(Buffer.from('\ufeff {} '), 'json'), { many: false, lengths: [4] })
  assert.deepEqual(validator.add(Buffer.from('\n {"c":3}\r\n\r\n{}'), 'ndjson'), { many: true, lengths: [8, 2] })
  assert.deepEqual(validator.add(Buffer.from('[{"é":"€"}]'), 'json'), { many: true, lengths: [12] })
  assert.equal(validator.length, 42)
  assert.equal(taken(validator), '{"a":1}{"b":2}{} {}  {"c":3}{}{"é":"€"}')
  assert.equal(validator.length, 0)
  assert.equal(taken(validator), '')
})

test('nothing is kept of a refused body', () => {
  const validator = new Validator()
  validator.add(Buffer.from('{"a":1}'), 'json')
  for (const refused of ['', '[{},{},1]', '{"a":1', '[]', `{"a":"${'x'.repeat(200_000)}`])
    assert.equal(validator.add(Buffer.from(refused), 'json'), undefined)
  assert.equal(validator.add(Buffer.from('{}\n{'), 'ndjson'), undefined)
  validator.add(Buffer.from('{"b":2}'), 'json')
  assert.equal(taken(validator), '{"a":1}{"b":2}')
})

test('what is behind dropped documents moves to the front', () => {
  const validator = new Validator()
  for (const body of ['{"a":1}', '[{"b":2},{}]', '{"c":3}']) validator.add(Buffer.from(body), 'json')
  validator.drop(7)
  assert.equal(Buffer.from(validator.first(9)).toString(), '{"b":2}{}')
  validator.add(Buffer.from('{"d":4}'), 'json')
  validator.drop(9)
  assert.equal(taken(validator), '{"c":3}{"d":4}')
})

test('dropping documents one by one moves each byte no more than once', (t) => {
  const validator = new Validator()
  const bodies = Array.from({ length: 1_000 }, (_, n) => JSON.stringify({ n, x: 'x'.repeat(n) }))
  for (const body of bodies) validator.add(Buffer.from(body), 'json')
  const total = validator.length
  let moved = 0
  const { copyWithin } = Uint8Array.prototype
  t.mock.method(Uint8Array.prototype, 'copyWithin', function (this: Uint8Array, to: number, from: number, end = 0) {
    moved += end - from
    return copyWithin.call(this, to, from, end)
  })
  for (const body of bodies) {
    assert.equal(Buffer.from(validator.first(body.length)).toString(), body)
    validator.drop(body.length)
  }
  assert.equal(validator.length, 0)
  assert.ok(moved <= total, `${moved} bytes of ${total} were moved`)
})

test('bodies of any size are kept, and the next ones after them', () => {
  const validator = new Validator()
  const bodies = [0, 65_000, 200_000, 1_000_000, 16_000_000, 3, 5_000_000].map((size) => `{"a":"${'x'.repeat(size)}"}`)
  for (let round = 0; round < 2; round++) {
    for (const body of bodies) assert.deepEqual(validator.add(Buffer.from(body), 'json')?.lengths, [body.length])
    assert.equal(taken(validator), bodies.join(''))
  }
  for (let nth = 0; nth < 5_000; nth++) validator.add(Buffer.from(`{"n":${nth}}`), 'json')
  const all = Array.from({ length: 5_000 }, (_, nth) => `{"n":${nth}}`).join('')
  assert.equal(taken(validator), all)
})

test('a body for which there is no memory is refused, and the others are kept', () => {
  const validator = new Validator()
  const body = Buffer.alloc(48 * 1024 * 1024, 0x20)
  body.write('{"a":1}')
  for (let nth = 0; nth < 2; nth++) assert.ok(validator.add(body, 'json'))
  assert.throws(() => validator.add(body, 'json'), { code: 'ingest_full' })
  validator.drop(body.length)
  assert.ok(body.equals(validator.first(body.length)))
  validator.drop(body.length)
  assert.ok(validator.add(body, 'json'))
})

test('two validators share nothing', () => {
  const [one, other] = [new Validator(), new Validator()]
  one.add(Buffer.from('{"a":1}'), 'json')
  other.add(Buffer.from('{"b":2}'), 'json')
  assert.equal(taken(one), '{"a":1}')
  assert.equal(taken(other), '{"b":2}')
})

const space = fc.stringMatching(/^[ \t\r\n]{0,20}$/)
const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }))
const indented = fc.tuple(object, fc.nat(4)).map(([value, indent]) => JSON.stringify(value, null, indent))

test('any objects are found, alone, in an array and in lines', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(space, indented, space), { minLength: 1, maxLength: 20 }), (parts) => {
      const bodies = parts.map((part) => part.join(''))
      for (const body of bodies) assert.deepEqual(agreedTexts(Buffer.from(body), 'json'), [body])
      const texts = parts.map(([, text]) => text)
      assert.deepEqual(agreedTexts(Buffer.from(`[${bodies}]`), 'json'), texts)
      const lines = texts.map((text) => JSON.stringify(JSON.parse(text)))
      assert.deepEqual(agreedTexts(Buffer.from(lines.join('\r\n')), 'ndjson'), lines)
    }),
  )
})

test('any bytes of JSON are accepted or refused as they are by parsing', () => {
  const bytes = fc.array(fc.constantFrom(...Buffer.from('{}[]",:\\ \n\rtrue-0.1eEu\u00e9\u20ac')), { maxLength: 40 })
  fc.assert(
    fc.property(bytes, fc.constantFrom('json', 'ndjson'), (body, format) => {
      for (const text of [
        body,
        [...Buffer.from('{"a":'), ...body, 0x7d],
        [...Buffer.from('{"a":"'), ...body, 0x22, 0x7d],
      ])
        agreedTexts(Buffer.from(text), format)
    }),
    { numRuns: 600 },
  )
})
