import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import { accepted, agreedTexts, refused } from './agreement.ts'

/** Bytes at both sides of every boundary that the encoding has. */
const EDGES = [0x00, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed]
const MORE_EDGES = [0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfb, 0xfc, 0xfd, 0xfe, 0xff]
const ALL_EDGES = [...EDGES, ...MORE_EDGES]
const BYTES = Array.from({ length: 256 }, (_, byte) => byte)

const open = Buffer.from('{"a":"')
const close = Buffer.from('"}')
const inString = (bytes: readonly number[]) => Buffer.concat([open, Buffer.from(bytes), close])

/** Asserts that a string of the bytes is accepted exactly when they are UTF-8 that a string may hold. */
function decides(bytes: readonly number[]): void {
  const found = agreedTexts(inString(bytes), 'json')
  const isString = isUtf8(Buffer.from(bytes)) && bytes.every((byte) => byte >= 0x20 && byte !== 0x22 && byte !== 0x5c)
  if (bytes.every((byte) => byte !== 0x22 && byte !== 0x5c)) assert.equal(found !== undefined, isString, String(bytes))
}

test('every character is accepted', () => {
  const characters = Array.from({ length: 0x110000 - 0x80 }, (_, nth) => nth + 0x80).filter(
    (code) => code < 0xd800 || code > 0xdfff,
  )
  for (let from = 0; from < characters.length; from += 1_000) {
    const text = String.fromCodePoint(...characters.slice(from, from + 1_000))
    accepted([`{"a":"${text}"}`, `{"${text}":1}`])
  }
})

test('every pair of bytes is decided', () => {
  for (const first of BYTES) for (const second of BYTES) decides([first, second])
})

test('every boundary of three and four bytes is decided', () => {
  const leads = BYTES.filter((byte) => byte >= 0xc0)
  for (const lead of leads)
    for (const second of ALL_EDGES)
      for (const third of ALL_EDGES) {
        decides([lead, second, third])
        if (lead >= 0xf0) for (const fourth of [0x7f, 0x80, 0xbf, 0xc0]) decides([lead, second, third, fourth])
      }
})

test('characters that are longer than needed, surrogates and those above U+10FFFF are refused', () => {
  const long = ['c080', 'c1bf', 'e08080', 'e09fbf', 'f0808080', 'f08fbfbf', 'f880808080', 'fc8080808080']
  const surrogates = ['eda080', 'edafbf', 'edb080', 'edbfbf', 'eda0bdedb880']
  const above = ['f4908080', 'f5808080', 'f7bfbfbf', 'f888808080', 'fe', 'ff']
  const cut = ['80', 'bf', 'c2', 'df', 'e1', 'e180', 'f1', 'f180', 'f18080', 'c2c2', 'e180c280', 'f18080e1']
  for (const bad of [...long, ...surrogates, ...above, ...cut].map((hex) => [...Buffer.from(hex, 'hex')]))
    for (let before = 0; before < 18; before++) {
      const ascii = Array<number>(before).fill(0x61)
      refused([
        inString([...ascii, ...bad]),
        inString([...bad, ...ascii]),
        inString([0xc3, 0xa9, ...ascii, ...bad, 0xc3, 0xa9]),
      ])
    }
})

test('bytes above 0x7f are refused outside strings', () => {
  for (const char of ['\u0080', 'é', '\u2028', '😀', '\u{10ffff}', '“'])
    refused([
      ...[`{${char}"a":1}`, `{"a"${char}:1}`, `{"a":${char}}`, `{"a":1${char}}`],
      ...[`{}${char}`, `[{}${char}]`, `[${char}{}]`],
    ])
  for (const byte of BYTES.slice(0x80)) refused([Buffer.from([0x7b, 0x7d, byte]), Buffer.from([byte, 0x7b, 0x7d])])
})

test('a body that ends within a character is refused', () => {
  const whole = Buffer.from('{"a":"é€😀')
  for (let length = 6; length <= whole.length; length++) {
    refused([whole.subarray(0, length)])
    refused([whole.subarray(0, length)], 'ndjson')
  }
})
