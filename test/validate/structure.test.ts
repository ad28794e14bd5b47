import { test } from 'node:test'
import { accepted, refused } from './agreement.ts'

test('white space is space, tab, newline and carriage return, outside values only', () => {
  for (const space of [' ', '\t', '\n', '\r', '\r\n', ' \t\r\n'.repeat(20)]) {
    accepted([`${space}{}${space}`, `${space}[${space}{${space}}${space}]${space}`])
    accepted([`{${space}"a"${space}:${space}[${space}1${space},${space}{${space}}${space}]${space},"b":[${space}]}`])
    accepted([`[{"a":1${space}}${space},${space}{"b"${space}:"x"${space}}]`])
  }
  const others = [
    '\u0000',
    '\v',
    '\f',
    '\b',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u1680',
    '\u2003',
    '\u2028',
    '\u3000',
    '\ufeff',
  ]
  for (const space of others) {
    refused([
      `{}${space}`,
      `{${space}}`,
      `{"a"${space}:1}`,
      `{"a":${space}1}`,
      `{"a":1${space}}`,
      `[${space}{}]`,
      `[{}]${space}`,
    ])
    if (space !== '\ufeff') refused([`${space}{}`])
  }
  refused(['{}//', '{}/**/', '/**/{}', '{"a":1 /**/}', '{#\n}', '{"a"//\n:1}'])
})

test('structure follows the grammar of JSON', () => {
  accepted(['{}', '{"":0}', '{"a":{}}', '{"a":[]}', '{"a":[[],{},[{}]]}', '{"a":1,"a":2}', '{"__proto__":null}'])
  accepted(['[{}]', '[{},{}]', '[{"a":[{}]},{"b":"]"}]', '{"a":[1,"x",null,true,{"b":[]}],"c":{"d":{}}}'])
  const commas = [
    '{,}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1,,"b":2}',
    '{"a":1 "b":2}',
    '{"a":1;"b":2}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1,,2]}',
    '{"a":[,]}',
    '{"a":[1 2]}',
  ]
  const colons = [
    '{:}',
    '{"a"}',
    '{"a":}',
    '{"a" 1}',
    '{"a"::1}',
    '{"a",1}',
    '{:1}',
    '{"a":1:2}',
    '{"a"=1}',
    '{"a":"b":"c"}',
    '{"a":[1:2]}',
    '{"a":["b":1]}',
  ]
  const keys = [
    '{1:1}',
    '{a:1}',
    "{'a':1}",
    '{null:1}',
    '{[]:1}',
    '{{}:1}',
    '{"a"b:1}',
    '{"a":1,b:2}',
    '{"a":1,2}',
    '{true:1}',
    '{"a\n":1}',
    '{"\\x":1}',
    '{{}}',
    '{[]}',
    '{"a" "b":1}',
  ]
  const closing = [
    '{',
    '}',
    '{}}',
    '{{}',
    '{"a":1',
    '{"a":',
    '{"a"',
    '{"',
    '{"a":[1}',
    '{"a":[1}]',
    '{"a":{]}',
    '{"a":[}',
    '{]',
    '[}',
    '{"a":1]',
    '{"a":[[1]}',
    '{"a":[1]]}',
    '{"a":{"b":1}',
    '{"a":{"b":1}]',
  ]
  const behind = [
    '{}{}',
    '{} {}',
    '{}[]',
    '{}1',
    '{}"a"',
    '{},',
    '{},{}',
    '{}]',
    '{}null',
    '{}x',
    '{};',
    '{}\\',
    '{}\u0000',
  ]
  refused([...commas, ...colons, ...keys, ...closing, ...behind])
  const lists = [
    '[',
    ']',
    '[]',
    '[,]',
    '[{},]',
    '[,{}]',
    '[{},,{}]',
    '[{}{}]',
    '[{} {}]',
    '[{}',
    '[{}}',
    '[{}]]',
    '[[{}]]',
    '[{}],',
    '[{}][{}]',
    '[{}]{}',
    '[ ',
    '[{},',
    '[{}:{}]',
    '[{};{}]',
  ]
  const elements = ['1', '"a"', 'null', 'true', '[]', '[1]', '-', '{', '"', '{"a"}', '{"a":}', '{}1']
  refused([...lists, ...elements.flatMap((it) => [`[${it}]`, `[{},${it}]`, `[${it},{}]`])])
  refused([
    '',
    ' ',
    '\n',
    '0',
    '1',
    '-1',
    '"a"',
    '""',
    'null',
    'true',
    'false',
    'a',
    '\\',
    ',',
    ':',
    '\u0000',
    '/',
    '"{}"',
    '({})',
  ])
})
