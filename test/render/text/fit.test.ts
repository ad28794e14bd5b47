import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { TextRules } from '../../../src/domain/delivery/message.ts'
import { fit } from '../../../src/render/text/fit.ts'

const LINK = 'incident 0192f0c4'
const rules = (escaping: TextRules['escaping'], max: number, unit: TextRules['limit']['unit']): TextRules => ({
  escaping,
  limit: { max, unit },
})
const cut = (text: string, given: TextRules) => {
  const fitted = fit(text, given, LINK)
  assert.equal(fitted.cut, true)
  return fitted.text
}

describe('fit', () => {
  it('does not change a text within the limit', () => {
    for (const escaping of ['chat', 'none'] as const) {
      const text = '```\nopen & <odd `'
      assert.deepEqual(fit(text, rules(escaping, 100, 'utf16'), LINK), { text, cut: false })
    }
    assert.deepEqual(fit('<table><tr>', rules('html', 100, 'utf16'), LINK), { text: '<table><tr>', cut: false })
  })

  it('ends a text that was cut with the missing size and the link', () => {
    assert.equal(cut('x'.repeat(200), rules('none', 80, 'utf16')), `${'x'.repeat(39)}\n… cut, 161 B more: ${LINK}`)
    assert.match(cut('x'.repeat(90_000), rules('none', 9_000, 'utf16')), /x\n… cut, 81 KB more: incident 0192f0c4$/)
    assert.match(cut('x'.repeat(3_000_000), rules('none', 9_000, 'utf16')), /… cut, 3\.0 MB more: /)
  })

  it('escapes the link for the channel', () => {
    const link = 'https://t.example.net/i?a=1&b=2'
    assert.match(fit('x'.repeat(200), rules('html', 100, 'visible'), link).text, /a=1&amp;b=2$/)
    assert.match(fit('x'.repeat(200), rules('none', 100, 'utf16'), link).text, /a=1&b=2$/)
  })

  it('cuts without a last line where there is no room for it', () => {
    assert.equal(cut('abcdefgh', rules('none', 5, 'utf16')), 'abcde')
  })

  it('counts bytes of the JSON string', () => {
    const limit = rules('none', 202, 'json-bytes')
    assert.equal(fit('é'.repeat(100), limit, LINK).cut, false)
    for (const unit of ['é', '"', '\n', '\u0001', '€', '😀']) {
      const text = cut(unit.repeat(300), limit)
      assert.ok(Buffer.byteLength(JSON.stringify(text)) <= 202, JSON.stringify(unit))
      assert.ok(Buffer.byteLength(JSON.stringify(text)) > 190, JSON.stringify(unit))
    }
  })

  it('cuts 100 KB of emoji, of markup and of tags that nest', () => {
    for (const text of ['👩‍👩‍👧‍👦'.repeat(9_000), 'a & b <c> `d`\n'.repeat(8_000), '<b>'.repeat(33_000)])
      for (const given of [
        rules('html', 4_096, 'visible'),
        rules('none', 18_000, 'json-bytes'),
        rules('chat', 12_000, 'utf16'),
      ])
        assert.equal(fit(text, given, LINK).text.length > 0, true)
  })
})

describe('fit of chat markup', () => {
  it('closes code fences and inline code', () => {
    const fenced = cut(`\`\`\`\n${'line of a log\n'.repeat(20)}\`\`\``, rules('chat', 120, 'utf16'))
    assert.match(fenced, /\n```\n… cut/)
    assert.match(cut(`\`${'c'.repeat(200)}\``, rules('none', 100, 'utf16')), /^`c+`\n… cut/)
  })
  it('does not close inline code that ended with its line', () => {
    assert.match(cut(`it\`s\n${'c'.repeat(200)}`, rules('none', 100, 'utf16')), /c\n… cut/)
  })
  it('does not cut entities and links', () => {
    for (let max = 60; max < 120; max++) {
      const text = cut('<https://x.example.net|here> &amp; '.repeat(10), rules('chat', max, 'utf16'))
      const body = text.slice(0, text.indexOf('… cut'))
      assert.equal(body.replace(/<https:\/\/x\.example\.net\|here>|&amp;/g, '').trim(), '', String(max))
    }
  })
})

describe('fit of the messaging app’s HTML', () => {
  const app = (text: string, max = 4_096) => fit(text, rules('html', max, 'visible'), LINK).text

  it('counts what is visible, not tags and entities', () => {
    const text = '<b>&amp;</b>'.repeat(4_096)
    assert.equal(app(text), text)
    assert.match(app(`${text}x`).slice(-50), /… cut, \d+ B more: incident 0192f0c4$/)
  })
  it('closes open tags where it cuts', () => {
    assert.match(app(`<b>t <i><code>${'c'.repeat(5_000)}</code></i></b>`), /c<\/code><\/i><\/b>\n… cut/)
  })
  it('keeps allowed tags and escapes all others', () => {
    assert.equal(
      app('<b>a</b> <TG-SPOILER>b</TG-SPOILER> <pre><code class="language-js">c</code></pre>'),
      '<b>a</b> <tg-spoiler>b</tg-spoiler> <pre><code class="language-js">c</code></pre>',
    )
    assert.equal(app('<script>x</script>'), '&lt;script&gt;x&lt;/script&gt;')
    assert.equal(app('<b onclick="x()">y</b>'), '<b>y</b>')
    assert.equal(app('1 < 2 > 1 && &copy; &#0; &nbsp;&apos;'), "1 &lt; 2 &gt; 1 &amp;&amp; &amp;copy; &amp;#0; \u00a0'")
  })
  it('keeps links to addresses only', () => {
    assert.equal(
      app('<a href="https://x.example.net/?a=1&b=2">x</a>'),
      '<a href="https://x.example.net/?a=1&amp;b=2">x</a>',
    )
    assert.equal(app('<a href="javascript:x()">x</a>'), '&lt;a href="javascript:x()"&gt;x&lt;/a&gt;')
  })
  it('nests tags properly and closes those left open', () => {
    assert.equal(app('<b><i>x</b>'), '<b><i>x</i></b>')
    assert.equal(app('<b>x'), '<b>x</b>')
    assert.equal(app('x</b>'), 'x&lt;/b&gt;')
  })
})

describe('fit of a mail', () => {
  it('closes elements and adds the last line inside the document', () => {
    const body = `<html><head><style>p > a {}</style></head><body><p>a<br>${'<b>w</b> '.repeat(100)}</p></body></html>`
    const text = cut(body, rules('html', 300, 'utf16'))
    assert.match(text, /<\/p>\n<p>… cut, \d+ B more: incident 0192f0c4<\/p><\/body><\/html>$/)
    assert.ok(text.length <= 300)
  })
  it('does not cut a style sheet or a comment', () => {
    assert.doesNotMatch(cut(`a<style>${'p{} '.repeat(100)}`, rules('html', 200, 'utf16')), /style/)
    assert.doesNotMatch(cut(`a<!-- ${'p{} '.repeat(100)}`, rules('html', 200, 'utf16')), /<!--/)
  })
})

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
      { numRuns: 800 },
    )
  })

  it('is always valid for the messaging app', () => {
    fc.assert(
      fc.property(text, limit, (text, max) => {
        assert.equal(refusal(fit(text, { escaping: 'html', limit: { max, unit: 'visible' } }, LINK).text), undefined)
      }),
      { numRuns: 500 },
    )
  })

  it('does not change a fitted text', () => {
    fc.assert(
      fc.property(all, (given) => {
        const once = fitted(given).text
        assert.deepEqual(fitted({ ...given, text: once }), { text: once, cut: false })
      }),
      { numRuns: 500 },
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
      { numRuns: 500 },
    )
  })
})
