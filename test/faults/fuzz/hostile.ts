import fc from 'fast-check'

/** Keys with a meaning for JavaScript or for a sender shape. */
const KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'length', ''],
  ...['alerts', 'labels', 'annotations', 'status', 'data', 'issue', 'kubernetes', 'log', 'title', 'severity', 'Source'],
  ...['channel', 'payload', 'incident_id', 'template', 'state', 'id', 'verdict', 'tags', 'action', 'by', 'kind', 'q'],
]
const WORDS = [
  ...['\u0000', '\ud800', '\udfff\ud800', '\u2028', '\u202e', '\r\n\r\nX-Injected: 1', '../../etc/passwd', '%00', '%'],
  ...[
    '{{ . }}',
    '{{range .}}',
    '<script>alert(1)</script>',
    '@everyone',
    "'; DROP TABLE incidents; --",
    '"',
    '\\',
    'NaN',
  ],
  ...[
    'firing',
    'resolved',
    'dead',
    'chatws',
    'console',
    'known',
    'end',
    'filter',
    'incident',
    '1',
    '-1',
    '1e999',
    'null',
  ],
  ...['😀'.repeat(300), 'x'.repeat(20_000), 'a* OR b*', '"unclosed', 'NEAR(', '-', '\ufeff', '2025-01-01T00:00:00Z'],
]
const NUMBERS = [0, -0, 1, -1, 500, 1e300, 2 ** 53, -(2 ** 63), 0.1, 1e-320]

export const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
)

/** Generates any JSON value, made of hostile words. */
export const { tree } = fc.letrec<{ tree: unknown; leaf: unknown; object: object }>((tie) => ({
  leaf: fc.oneof(fc.constantFrom<unknown>(null, true, false, [], {}), word, fc.constantFrom(...NUMBERS)),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), word), tie('tree')), { maxLength: 6 })
    .map((pairs) => Object.fromEntries(pairs)),
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('tree'), { maxLength: 4 }),
    tie('object'),
  ),
}))

const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join(',')}}`

/** Bodies that JSON.stringify never produces. */
const TEXTS = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '{"a":1e999}',
  '{"a":-1e999,"severity":1e999}',
  `{"a":${'9'.repeat(5_000)}}`,
  '{"__proto__":{"title":"x","alerts":[1]},"constructor":{"prototype":{"polluted":1}}}',
  '{"a":"\\ud800","\\udfff":"\\u0000"}',
  '{"title":1,"title":2}',
  '{"a":',
  '{"a":NaN}',
  '\u0000',
  'a=1&b=2',
  '[[[{}]]]',
  `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
  keys(60_000),
  keys(100_000),
  `[${Array.from({ length: 500 }, () => '{"title":"many"}').join(',')}]`,
  `{"title":"${'é'.repeat(200_000)}"}`,
  `{"alerts":[${'{"labels":{"alertname":"a"}},'.repeat(2_000)}{}]}`,
]

/** Generates request bodies. */
export const body = fc.oneof(
  { weight: 4, arbitrary: tree.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 2, arbitrary: fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc.tuple(tree, fc.nat(), fc.nat(255)).map(([value, at, byte]) => {
      const bytes = Buffer.from(JSON.stringify(value))
      bytes[at % Math.max(1, bytes.length)] = byte
      return bytes
    }),
  },
)

/** Encodes a text for a path or a query. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
