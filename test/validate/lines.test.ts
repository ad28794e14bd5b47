import { test } from 'node:test'
import { accepted, refused } from './agreement.ts'

test('a byte order mark may come first, once', () => {
  const mark = '\ufeff'
  accepted([`${mark}{}`, `${mark} {"a":1}`, `${mark}[{},{}]`, `{"${mark}":"${mark}"}`])
  refused([mark, `${mark} `, `${mark}${mark}{}`, `{}${mark}`, ` ${mark}{}`, `[${mark}{}]`, `{${mark}}`])
  refused([[0xef], [0xef, 0xbb], [0xef, 0xbb, 0x7b, 0x7d], [0xbb, 0xbf, 0x7b, 0x7d]].map((it) => Buffer.from(it)))
  const utf16 = Buffer.from('{}', 'utf16le')
  refused([Buffer.from('\ufeff{}', 'utf16le'), utf16, Buffer.from(utf16).swap16()])
  accepted([`${mark}{}`, `${mark}\n{}`, `${mark}{}\n{}`, `{}\n${mark}`, `${mark}${mark}\n{}`], 'ndjson')
  refused([mark, `${mark}${mark}{}`, `{}\n${mark}{}`, `{}${mark}`], 'ndjson')
})

/** All that `String.prototype.trim` removes, beside the newline. */
const BLANKS = [...'\t\v\f\r \u00a0\u1680\u2000\u2005\u200a\u2028\u2029\u202f\u205f\u3000\ufeff']

test('lines hold one object each, and blank ones are skipped', () => {
  accepted(
    ['{}', '{}\n', '{}\r\n', '\n{}', '\r\n\r\n{}\r\n\r\n', '{}\n{}', '{}\r\n{"a":1}\r\n', ' {} \n\t{}\t'],
    'ndjson',
  )
  accepted(
    ['{}\r', '{}\r\r\n{}', '\r{}', '{\r}\n', '{"a":\r1}', '{"a":"\\n"}\n{}', '{} \r \n{}', '{"a":[1,\r2]}\r'],
    'ndjson',
  )
  for (const blank of BLANKS) {
    accepted([`${blank}\n{}`, `{}\n${blank}`, `{}\n${blank}${blank}\n{}\n${blank}`, `{}\r\n ${blank} \r\n`], 'ndjson')
    refused([blank, `${blank}\n${blank}`], 'ndjson')
  }
  for (const wrong of '\u0085\u180e\u200b\u200c\u2060\u0000\u001c\u001fx\u1681\u2010\u3001')
    refused([`{}\n${wrong}`, `${wrong}\n{}`, `{}\n ${wrong}\n{}`, `{}${wrong}\n{}`], 'ndjson')
  for (const blank of BLANKS.filter((it) => !'\t\r \ufeff'.includes(it)))
    refused([`${blank}{}`, `{}${blank}`, `{}\n${blank}{}\n`, `{${blank}}`], 'ndjson')
  refused(
    ['', '\n', '\r\n \n', '{}{}', '{} {}', '{},{}', '{}\n,', '{\n}', '{"a":\n1}', '{"a":1\n}', '{"a":1,\n"b":2}'],
    'ndjson',
  )
  refused(['[{}]', '{}\n[{}]', '{}\n1', '"a"\n{}', 'null', '{}\n{', '{}\n}'], 'ndjson')
  refused(['{"a":"\n"}', '{"a":"x\n{}', '{}\n{"a":}', '{}\\n{}'], 'ndjson')
  refused(
    ['7b7d0ac2', '7b7d0ae280', '7b7d0aa0', 'e3800a7b7d'].map((hex) => Buffer.from(hex, 'hex')),
    'ndjson',
  )
})

test('what lay behind a shorter body before is no part of it', () => {
  const long = `{"a":"${'x'.repeat(60)}","b":[1,2,3],"c":"é😀"}`
  for (let length = 0; length < Buffer.byteLength(long); length++) {
    accepted([long])
    refused([Buffer.from(long).subarray(0, length)])
    accepted([`${long}\n${long}`], 'ndjson')
    refused([Buffer.from(long).subarray(0, length)], 'ndjson')
  }
})
