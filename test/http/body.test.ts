import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { BodyFormat } from '../../src/domain/incident.ts'
import { formatOf, payloadsOf } from '../../src/http/body/documents.ts'

const read = (body: string | Buffer, format: BodyFormat = 'json') => payloadsOf(Buffer.from(body), format)
const parsed = (texts: readonly string[]) => texts.map((text): unknown => JSON.parse(text))

function refused(body: string | Buffer, expected: { code: string; message: RegExp }, format: BodyFormat = 'json') {
  assert.throws(
    () => read(body, format),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, expected.code)
      assert.match(error.message, expected.message)
      return true
    },
  )
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

test('elements of an array are its incidents', () => {
  const elements = ['{"a":"]},{[\\"\\\\"}', '{ "n" : 1.50 }', '{"deep":[[{"x":[]}]]}', '{"ü":"故障"}']
  assert.deepEqual(read(` [ ${elements.join(' ,\n ')} ] `), parsed(elements))
})

test('lines are incidents, blank ones are left out', () => {
  const lines = ['{"a":1.0}', ' {"b": "x\\ny"} ', '{"c":"é"}']
  assert.deepEqual(read(`${lines[0]}\r\n\n  \n${lines[1]}\n${lines[2]}`, 'ndjson'), parsed(lines))
})

const value = fc.jsonValue({ maxDepth: 6 })
const object = fc.dictionary(fc.string({ unit: 'grapheme' }), value).map((it) => JSON.stringify(it))
const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/)

test('any objects come out of an array', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(blank, object, blank), { minLength: 1 }), (parts) => {
      const body = `[${parts.map((part) => part.join('')).join(',')}]`
      assert.deepEqual(read(body), parsed(parts.map(([, text]) => text)))
    }),
  )
})

test('any objects come out of lines', () => {
  fc.assert(
    fc.property(fc.array(object, { minLength: 1 }), fc.constantFrom('\n', '\r\n', '\n\n'), (objects, end) => {
      assert.deepEqual(read(objects.join(end) + end, 'ndjson'), parsed(objects))
    }),
  )
})

test('any bytes are read or refused with a code', () => {
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    fc.stringMatching(/^[[\]{}",:\\ \n/*a1-]{0,40}$/).map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(hostile, fc.constantFrom<BodyFormat>('json', 'ndjson'), (body, format) => {
      try {
        read(body, format)
      } catch (error) {
        assert.match(String((error as { code?: string }).code), /^(body|array)_/)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a byte order mark is not part of the first document', () => {
  assert.deepEqual(read('\ufeff{"a":1}'), [{ a: 1 }])
  assert.deepEqual(read('\ufeff{"a":1}\n{}', 'ndjson'), [{ a: 1 }, {}])
  refused('\ufeff{"a":}', { code: 'body_not_json', message: /column 6 \(byte 8\)/ })
})

test('an error in JSON is reported with its position and without the payload', () => {
  refused('{"a": 1, }', { code: 'body_not_json', message: /property name expected at line 1, column 10 \(byte 9\)/ })
  refused('{\n "é": secret }', { code: 'body_not_json', message: /^(?!.*secret).*line 2, column 7 \(byte 9\)/ })
  refused('{"a":"x"', { code: 'body_not_json', message: /close brace expected at line 1, column 9/ })
  refused('{"a":1}{"b":2}', { code: 'body_not_json', message: /column 8/ })
  refused('{"a":1} // no', { code: 'body_not_json', message: /comment/ })
  refused('[{"a":1},{"b":[1,2]},{"c":}]', { code: 'body_not_json', message: /in element \[2\] at line 1, column 27/ })
  refused('{}\n\n{"b":\n{}', { code: 'body_not_json', message: /line 3, column 6 \(byte 9\)/ }, 'ndjson')
})

test('a value that is not an object is reported with its position', () => {
  refused('42', { code: 'body_not_object', message: /is a number/ })
  refused('null', { code: 'body_not_object', message: /is null/ })
  refused('[{},[]]', { code: 'body_not_object', message: /element \[1\] is an array/ })
  refused('{}\n"x"', { code: 'body_not_object', message: /line 2 is a string/ }, 'ndjson')
  refused('[]', { code: 'array_empty', message: /no incident/ })
})

test('a body of no bytes or of blanks is empty', () => {
  for (const body of ['', ' \r\n\t']) {
    refused(body, { code: 'body_empty', message: /empty/ })
    refused(body, { code: 'body_empty', message: /empty/ }, 'ndjson')
  }
})

test('bytes that are not UTF-8 are refused with the position of the first', () => {
  refused(Buffer.from([0x7b, 0xc3, 0xa4, 0xff]), { code: 'body_not_utf8', message: /byte 3$/ })
  refused(Buffer.from([0xff]), { code: 'body_not_utf8', message: /byte 0$/ })
  refused(Buffer.from([0x7b, 0x7d, 0x0a, 0xe2, 0x82]), { code: 'body_not_utf8', message: /byte/ }, 'ndjson')
})

test('each incident may be nested 64 levels deep', () => {
  assert.equal(read(nested(64)).length, 1)
  assert.equal(read(` [${nested(64)}]`).length, 1)
  assert.equal(read(`{}\n${nested(64)}`, 'ndjson').length, 2)
  refused(nested(65), { code: 'body_too_deep', message: /64 levels at line 1, column 321/ })
  refused(`[${nested(65)}]`, { code: 'body_too_deep', message: /64/ })
  refused(`{}\n${nested(65)}`, { code: 'body_too_deep', message: /line 2/ }, 'ndjson')
})

test('hostile nesting is refused without exhausting the stack', () => {
  const half = 500_000
  refused(`{"a":${'['.repeat(half)}${']'.repeat(half)}}`, { code: 'body_too_deep', message: /64/ })
  refused(`{"a\n":${'['.repeat(half)}`, { code: 'body_too_deep', message: /64/ })
  refused('[},'.repeat(half), { code: 'body_not_json', message: /line 1/ })
  refused(`{"a":"\n${'['.repeat(half)}`, { code: 'body_not_json', message: /line 1/ })
})

test('brackets within strings are not nesting', () => {
  assert.equal(read(JSON.stringify({ log: '[{'.repeat(5000) + '\\"'.repeat(9) })).length, 1)
})

test('keys of the prototype are data', () => {
  const [payload] = read('{"__proto__":{"polluted":"yes"},"constructor":1}')
  assert.deepEqual(Object.keys(payload ?? {}), ['__proto__', 'constructor'])
  assert.equal(({} as { polluted?: string }).polluted, undefined)
})

test('more than 10,000 incidents are refused', () => {
  assert.equal(read(`[${'{},'.repeat(9_999)}{}]`).length, 10_000)
  refused(`[${'{},'.repeat(10_000)}{}]`, { code: 'too_many_incidents', message: /10000/ })
  refused('{}\n'.repeat(10_001), { code: 'too_many_incidents', message: /10000/ }, 'ndjson')
})

test('parameters and case of a content type do not matter', () => {
  for (const type of ['', 'application/json', 'Application/JSON; charset=utf-8', 'application/cloudevents+json'])
    assert.equal(formatOf(type), 'json', type)
  for (const type of ['application/x-ndjson', 'application/ndjson;x=y']) assert.equal(formatOf(type), 'ndjson', type)
  for (const type of ['text/plain', 'text/json', 'application/jsonx', 'application/+json', 'json', ';'])
    assert.equal(formatOf(type), undefined, type)
})
