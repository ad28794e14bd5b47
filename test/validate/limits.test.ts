import { test } from 'node:test'
import { accepted, refused } from './agreement.ts'

const MIB = 1024 * 1024

/** Returns an object with `depth` levels in all; `inner` says whether the levels within are objects, arrays or both. */
function nested(depth: number, inner: 'objects' | 'arrays' | 'both'): string {
  const kinds = Array.from({ length: depth }, (_, level) =>
    level === 0 || inner === 'objects' || (inner === 'both' && level % 2 === 0) ? 'object' : 'array',
  )
  const opening = kinds.map((kind, level) => (kind === 'array' ? '[' : level === depth - 1 ? '{' : '{"a":'))
  const closing = kinds.map((kind) => (kind === 'array' ? ']' : '}')).reverse()
  return [...opening, ...closing].join('')
}

for (const inner of ['objects', 'arrays', 'both'] as const)
  test(`an incident may be nested 64 levels deep: ${inner}`, () => {
    for (const depth of [1, 2, 63, 64]) {
      const body = nested(depth, inner)
      accepted([body, `[${body}]`, `[${body},${body}]`, ` [ {"x":[[]]} , ${body} ] `])
      accepted([body, `${body}\n{}\n${body}`], 'ndjson')
    }
    for (const depth of [65, 66, 67, 128, 129, 1_000]) {
      const body = nested(depth, inner)
      refused([body, `[${body}]`, `[{},${body}]`, `[${body},{}]`])
      refused([body, `{}\n${body}`, `${body}\n{}`], 'ndjson')
    }
  })

test('depth counts open levels, not brackets', () => {
  const wide = `{"a":[${'[[]],'.repeat(500)}0],"b":{${Array.from({ length: 500 }, (_, nth) => `"${nth}":{}`)}}}`
  accepted([wide, `[${wide},${wide}]`, `{"a":"${'[{'.repeat(500)}","${'{['.repeat(500)}":1}`])
  // The levels of a member that a later one replaces count too.
  refused([`{"a":${'['.repeat(64)}${']'.repeat(64)},"a":1}`])
})

test('closing brackets match the opening ones at every depth', () => {
  const depth = 64
  const kinds = Array.from({ length: depth }, (_, level) => (level * 7) % 3 === 0)
  const open = kinds.map((isObject) => (isObject ? '{"a":' : '[')).join('')
  const close = kinds.map((isObject) => (isObject ? '}' : ']')).reverse()
  accepted([`${open}1${close.join('')}`])
  for (let at = 0; at < depth; at++)
    refused([`${open}1${close.map((char, nth) => (nth === at ? (char === '}' ? ']' : '}') : char)).join('')}`])
})

test('a string of 62 KB is checked at every alignment', () => {
  const filler = 'The disk of db-3 will be full. '.repeat(2_000)
  for (let before = 0; before < 16; before++) {
    const text = `${' '.repeat(before)}{"a":"${filler}`
    accepted([`${text}"}`, `${text}\\n"}`, `${text}é"}`])
    refused([
      `${text}\n"}`,
      `${text}\\x"}`,
      text,
      `${text}"`,
      Buffer.concat([Buffer.from(text), Buffer.from('e97822', 'hex')]),
    ])
  }
})

test('a bad byte is found at every place of a string', () => {
  const clean = Buffer.from(`{"a":"${'x'.repeat(64)}","b":"${'é'.repeat(40)}"}`)
  for (let at = 6; at < 70; at++)
    for (const bad of [0x00, 0x1f, 0x0a, 0x80, 0xc3, 0xff]) {
      const body = Buffer.from(clean)
      body[at] = bad
      refused([body])
    }
})

test('long white space is skipped at every length', () => {
  for (let length = 0; length < 70; length++) {
    const space = ' \t\r\n'.repeat(20).slice(0, length)
    accepted([
      `${space}{${space}"a"${space}:${space}[${space}]${space}}${space}`,
      `[${space}{}${space},${space}{}${space}]`,
    ])
    refused([`${space}{${space}\v}`, `{}${space}x`])
  }
  accepted([`${' '.repeat(MIB)}{}${'\n'.repeat(MIB)}`])
  accepted([`${'\n'.repeat(MIB)}{}${'\r\n'.repeat(MIB / 2)}{}`, `${'\u00a0\n'.repeat(MIB / 3)}{}`], 'ndjson')
})

test('a request holds up to 10,000 incidents', () => {
  const objects = Array<string>(10_000).fill('{"n":[1]}')
  accepted([`[${objects.join(',')}]`])
  accepted([objects.join('\n'), `${objects.join('\n\n')}\n`], 'ndjson')
  refused([`[${objects.join(',')},{}]`, `[{} ,${objects.join(',')}]`])
  refused([`${objects.join('\n')}\n{}`, `{}\n${objects.join('\n')}`], 'ndjson')
})
