import { test } from 'node:test'
import { accepted, refused, withValue } from './agreement.ts'

const values = (check: typeof accepted, list: readonly string[]) => check(list.flatMap(withValue))

test('numbers follow the grammar of JSON', () => {
  const integers = ['0', '-0', '1', '-1', '9', '10', '123456789012345678901234567890', '-987', '9'.repeat(5_000)]
  const fractions = ['0.0', '-0.0', '1.5', '0.1', '-12.34', `0.${'1'.repeat(400)}`]
  const exponents = [
    '0e0',
    '1e5',
    '1E5',
    '1e+5',
    '1E-5',
    '1e05',
    '1.5e10',
    '-1.5E+10',
    '1e400',
    '-1e400',
    '1e-400',
    '0E+0',
  ]
  values(accepted, [...integers, ...fractions, ...exponents])
  const signs = ['-', '+', '+1', '--1', '-+1', '- 1', '-a', '1-', '1+', '-.5', '1 2', '1 -2']
  const zeros = ['00', '01', '-01', '-00', '0 0', '00.1', '012', '0x1', '0b1', '0o1', '0_1']
  const points = ['.', '.5', '1.', '-1.', '1..2', '1.2.3', '0.e1', '1.e5', '1.-5', '1. 5', '.e1', '1,5e', '0,5 5']
  const powers = [
    'e',
    'e5',
    'E5',
    '1e',
    '1E',
    '1e+',
    '1e-',
    '1e +5',
    '1e++5',
    '1e5.5',
    '1e5e5',
    '1ee5',
    '-e5',
    '1e.5',
    '1e5,',
  ]
  const names = ['NaN', 'Infinity', '-Infinity', '-NaN', 'Inf', '1n', '1f', '1_000', '0xFF', '１', '٣', '1\u00a0']
  values(refused, [...signs, ...zeros, ...points, ...powers, ...names])
})

test('names are true, false and null', () => {
  values(accepted, ['true', 'false', 'null'])
  const cut = ['t', 'tr', 'tru', 'f', 'fa', 'fal', 'fals', 'n', 'nu', 'nul']
  const changed = [
    'True',
    'TRUE',
    'FALSE',
    'Null',
    'NULL',
    'truth',
    'falsy',
    'nulls',
    'truee',
    'falsee',
    'nulll',
    'undefined',
  ]
  const joined = [
    'true1',
    'truefalse',
    'nullnull',
    'true"',
    'false{}',
    'null[]',
    'tr ue',
    'fa\nlse',
    'n ull',
    'a',
    '\\',
    "'",
  ]
  values(refused, [...cut, ...changed, ...joined])
})

test('strings hold anything but quotes, backslashes and control characters', () => {
  const plain = [
    '',
    ' ',
    'a',
    '/',
    "'",
    '\u007f',
    '\u0080',
    '\u2028\u2029',
    '\ufeff',
    '\uffff',
    '😀',
    '{}[],:',
    '\u{10ffff}',
  ]
  values(
    accepted,
    plain.map((text) => `"${text}"`),
  )
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))
  values(
    refused,
    controls.map((char) => `"${char}"`),
  )
  values(
    refused,
    controls.map((char) => `"${'x'.repeat(20)}${char}"`),
  )
  values(
    refused,
    controls.map((char) => `"\\${char}"`),
  )
  values(refused, [
    '"',
    '"a',
    'a"',
    "'a'",
    '"a""',
    '"a"b"',
    '"a" "b"',
    '"\\"',
    '"\\\\\\"',
    '`a`',
    '“a”',
    '"a\\',
    '"a"\\',
  ])
})

test('escapes are those of JSON, lone surrogates among them', () => {
  const bytes = Array.from({ length: 95 }, (_, nth) => String.fromCharCode(32 + nth))
  const known = '"\\/bfnrt'
  values(
    accepted,
    [...known].map((char) => `"\\${char}"`),
  )
  values(
    refused,
    bytes.filter((char) => !known.includes(char)).map((char) => `"\\${char}"`),
  )
  const codes = ['0000', '0009', '001f', '0022', '005C', 'abcd', 'ABCD', 'aBcD', 'ffff', 'FFFF', 'fdd0', '2028']
  const surrogates = [
    '\\ud83d\\ude00',
    '\\ud800',
    '\\udfff',
    '\\udfff\\ud800',
    '\\ud800x',
    '\\uD800\\uD800',
    '\\ud800\\u0061',
  ]
  values(accepted, [...codes.map((code) => `"\\u${code}"`), ...surrogates.map((text) => `"${text}"`)])
  const short = ['\\u', '\\u0', '\\u00', '\\u000', '\\u 000', '\\u000 ', '\\u+000', '\\u-000', '\\ux000']
  const wrong = [
    '\\u000g',
    '\\u000G',
    '\\u00@0',
    '\\u00`0',
    '\\u0/00',
    '\\u0:00',
    '\\U0000',
    '\\u{41}',
    '\\x41',
    '\\u００００',
    '\\0',
    '\\é',
  ]
  values(
    refused,
    [...short, ...wrong].map((text) => `"${text}"`),
  )
  for (const text of ['\\"', '\\\\', '\\u0041', '\\n', 'é', '😀'])
    for (let before = 0; before < 40; before++) values(accepted, [`"${'.'.repeat(before)}${text}${text}"`])
})
