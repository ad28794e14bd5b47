import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { TextRules } from '../../../src/domain/message.ts'
import { fit } from '../../../src/render/text/fit.ts'

const LINK = 'incident 0192f0c4'
const FRAGMENTS = [
  ...['👩‍👩‍👧‍👦', '🇩🇪', 'é', 'e\u0301', '\u0301', '\ud83d', '\r\n', '\n', ' ', 'word ', '"', '\\', '\u0007', '€'],
  ...[
    '<b>',
    '</b>',
    '<i>',
    '</i>',
    '<pre>',
    '</pre>',
    '<code>',
    '<a href="https://x.example.net">',
    '</a>',
    '<a>',
    '<div>',
  ],
  ...[
    '&amp;',
    '&lt;',
    '&#128512;',
    '&nbsp;',
    '&',
    '<',
    '>',
    '```',
    '`',
    '<@U1>',
    '<https://x.example.net|y>',
    '<!--',
    '-->',
  ],
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: 'grapheme', maxLength: 8 })), {
    maxLength: 80,
    size: 'max',
  })
  .map((parts) => parts.join(''))
const limit = fc.integer({ min: 0, max: 300 })
const RULES: readonly (readonly [TextRules['escaping'], TextRules['limit']['unit']])[] = [
  ['html', 'visible'],
  ['html', 'utf16'],
  ['chat', 'utf16'],
  ['none', 'utf16'],
  ['markdown', 'json-bytes'],
]
const all = fc.record({ text, max: limit, rules: fc.constantFrom(...RULES) })

function fitted({ text, max, rules: [escaping, unit] }: { text: string; max: number; rules: (typeof RULES)[number] }) {
  return fit(text, { escaping, limit: { max, unit } }, LINK)
}

function measured(of: string, unit: TextRules['limit']['unit']): number {
  if (unit === 'utf16') return of.length
  if (unit === 'json-bytes') return Buffer.byteLength(JSON.stringify(of))
  const untagged = of.replace(/<\/?[a-z][^<>]*>/g, '')
  return untagged.replace(/&(?:#(\d+)|\w+);/g, (_, code) => (code ? String.fromCodePoint(Number(code)) : '.')).length
}

/** Returns why the messaging app would refuse a text; undefined when it is valid. */
function refusal(of: string): string | undefined {
  const open: string[] = []
  const rest = of.replace(/<(\/?)([a-z-]+)( [^<>]*)?>/g, (_, slash, name) => {
    if (!slash) open.push(name)
    else if (open.pop() !== name) open.push(`stray ${name}`)
    return ''
  })
  if (open.length > 0) return `open: ${open.join()}`
  return /[<>]|&(?!(?:lt|gt|amp|quot|#\d+);)/.exec(rest)?.[0]
}

describe('fit of any text', () => {
  it('never exceeds the limit', () => {
    fc.assert(
      fc.property(all, (given) => {
        const least = given.rules[1] === 'json-bytes' ? 2 : 0
        assert.ok(measured(fitted(given).text, given.rules[1]) <= Math.max(least, given.max))
      }),
      { numRuns: 3_000 },
    )
  })

  it('is always valid for the messaging app', () => {
    fc.assert(
      fc.property(text, limit, (text, max) => {
        assert.equal(refusal(fit(text, { escaping: 'html', limit: { max, unit: 'visible' } }, LINK).text), undefined)
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not change a fitted text', () => {
    fc.assert(
      fc.property(all, (given) => {
        const once = fitted(given).text
        assert.deepEqual(fitted({ ...given, text: once }), { text: once, cut: false })
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not change a text within the limit', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...RULES.slice(1)), (text, rules) => {
        assert.deepEqual(fitted({ text, max: 100_000, rules }), { text, cut: false })
      }),
    )
  })

  it('is cut between graphemes of the original', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })
    fc.assert(
      fc.property(text, fc.integer({ min: 60, max: 200 }), (text, max) => {
        const made = fit(text, { escaping: 'none', limit: { max, unit: 'utf16' } }, LINK)
        if (!made.cut) return
        const body = made.text.slice(0, made.text.lastIndexOf('… cut')).replace(/\n$/, '')
        const ends = [...segmenter.segment(text)].map(({ index, segment }) => index + segment.length)
        const closed = ['', '\n', '`', '\n```'].map((closer) =>
          body.endsWith(closer) ? body.length - closer.length : -1,
        )
        assert.ok(
          closed.some((end) => text.startsWith(body.slice(0, Math.max(end, 0))) && (end === 0 || ends.includes(end))) ||
            (text.startsWith(`${body}\n`) && ends.includes(body.length + 1)),
        )
      }),
      { numRuns: 2_000 },
    )
  })
})
