import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepted, acceptedOf, refused, sequences } from './agreement.ts'

test('white space is space, tab, newline and carriage return, outside values only', () => {
  for (const space of [' ', '\t', '\n', '\r', '\r\n', ' \t\r\n'.repeat(20)]) {
    accepted([`${space}{}${space}`, `${space}[${space}{${space}}${space}]${space}`])
    accepted([`{${space}"a"${space}:${space}[${space}1${space},${space}{${space}}${space}]${space},"b":[${space}]}`])
    accepted([`[{"a":1${space}}${space},${space}{"b"${space}:"x"${space}}]`])
  }
  const others = '\u0000\v\f\b\u001f\u007f\u0085\u00a0\u1680\u2003\u2028\u3000\ufeff'
  for (const space of others) {
    refused([`{}${space}`, `{${space}}`, `[${space}{}]`, `[{}]${space}`])
    refused([`{"a"${space}:1}`, `{"a":${space}1}`, `{"a":1${space}}`])
    if (space !== '\ufeff') refused([`${space}{}`])
  }
  refused(['{}//', '{}/**/', '/**/{}', '{"a":1 /**/}', '{#\n}', '{"a"//\n:1}'])
})

/** Places in a body, each between two texts. */
const PLACES = [
  ['', ''],
  ['{', '}'],
  ['{"a"', '}'],
  ['{"a":', '}'],
  ['{"a":1', '}'],
  ['{"a":', ''],
  ['{"a":[', ']}'],
  ['{"a":[1', ']}'],
  ['[', ']'],
  ['[{}', ']'],
  ['{}', ''],
] as const

for (const [before, after] of PLACES)
  test(`any few pieces in the place ${before}…${after} are accepted or refused as by parsing`, () => {
    const pieces = sequences(['{', '}', '[', ']', ',', ':', '"a"', '1', ' ', 'x'], 4)
    assert.ok(acceptedOf(pieces, before, after) > 0)
  })

test('structure follows the grammar of JSON', () => {
  accepted(['{}', '{"":0}', '{"a":{}}', '{"a":[]}', '{"a":[[],{},[{}]]}', '{"a":1,"a":2}', '{"__proto__":null}'])
  accepted(['[{}]', '[{},{}]', '[{"a":[{}]},{"b":"]"}]', '{"a":[1,"x",null,true,{"b":[]}],"c":{"d":{}}}'])
  refused(["{'a':1}", '{null:1}', '{a:1}', '{"a\n":1}', '{"\\x":1}', '{"a":1;"b":2}', '{"a"=1}', '{"a":1,,"b":2}'])
  refused([
    '{"a":{"b":1}]',
    '{"a":[[1]}',
    '[{}][{}]',
    '{}null',
    '{}\\',
    '{}\u0000',
    '[{};{}]',
    '[{}:{}]',
    '({})',
    '"{}"',
  ])
  refused(['', '\n', '\u0000', '\\', '/', 'null', 'true', 'false', '-1', '"a"'])
})
