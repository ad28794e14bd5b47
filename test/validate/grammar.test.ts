import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepted, acceptedOf, refused, sequences, withValue } from './agreement.ts'

const values = (check: typeof accepted, list: readonly string[], around = (text: string) => text) =>
  check(list.map(around).flatMap(withValue))
const quoted = (text: string) => `"${text}"`
const escaped = (text: string) => `"\\${text}"`

test('numbers follow the grammar of JSON', () => {
  values(accepted, ['123456789012345678901234567890', '9'.repeat(5_000), `0.${'1'.repeat(400)}`])
  values(accepted, ['0', '-0', '10', '-987', '-12.34', '-1.5E+10', '1e400', '-1e-400', '0E+0', '1e05'])
  const numerals = sequences(['0', '1', '-', '+', '.', 'e', 'E', ' '], 5)
  assert.ok(acceptedOf(numerals, '{"a":[1,', ',2]}') > 100)
  const names = ['NaN', 'Infinity', '-Infinity', '-NaN', 'Inf', '1n', '1f', '1_000', '0xFF', '１', '٣', '1\u00a0']
  values(refused, ['+1', '-a', '0x1', '0b1', '0o1', '012', '1e5e5', '-1.2.3', ...names])
})

test('names are true, false and null', () => {
  values(accepted, ['true', 'false', 'null'])
  for (const name of ['true', 'false', 'null'])
    for (let at = 1; at < name.length; at++) {
      const [before, char = '', rest] = [name.slice(0, at), name[at], name.slice(at + 1)]
      const changed = ['', char.toUpperCase(), `${char}${char}`, ` ${char}`, `\n${char}`, 'x'].map(
        (it) => before + it + rest,
      )
      values(refused, [before, ...changed])
    }
  values(refused, `True FALSE Null undefined true1 truefalse nullnull true" false{} null[] a \\ '`.split(' '))
})

test('strings hold anything but quotes, backslashes and control characters', () => {
  const plain = ['', "'", '\u2028\u2029', '{}[],:', ...' a/\u007f\u0080\ufeff\uffff😀\u{10ffff}']
  values(accepted, plain, quoted)
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))
  values(refused, controls, quoted)
  values(refused, controls, (char) => quoted('x'.repeat(20) + char))
  values(refused, controls, escaped)
  values(refused, ['"', '"a', 'a"', "'a'", '"a""', '"a"b"', '"a" "b"', '`a`', '“a”'])
  values(refused, ['"\\"', '"\\\\\\"', '"a\\', '"a"\\'])
})

test('escapes are those of JSON, lone surrogates among them', () => {
  const bytes = Array.from({ length: 95 }, (_, nth) => String.fromCharCode(32 + nth))
  const known = '"\\/bfnrt'
  values(accepted, [...known], escaped)
  values(
    refused,
    bytes.filter((char) => !known.includes(char)),
    escaped,
  )
  const surrogates = ['\\ud83d\\ude00', '\\ud800', '\\udfff', '\\udfff\\ud800', '\\ud800x', '\\ud800\\u0061']
  values(accepted, [...surrogates, '\\u005C', '\\uaBcD', '\\uFFFF'], quoted)
  const digits = sequences(['0', '9', 'a', 'F', 'g', 'G', '@', '`', '/', ':', ' ', '+'], 4)
  assert.equal(acceptedOf(digits, '{"a":"\\u', '"}'), 4 ** 4)
  values(refused, ['\\U0000', '\\u{41}', '\\x41', '\\u００００', '\\0', '\\é'], quoted)
  for (const text of ['\\"', '\\\\', '\\u0041', '\\n', 'é', '😀'])
    for (let before = 0; before < 40; before++) values(accepted, [`"${'.'.repeat(before)}${text}${text}"`])
})
