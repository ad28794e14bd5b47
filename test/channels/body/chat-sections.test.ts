import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sections } from '../../../src/channels/body/chat-sections.ts'
import { decodeEntities, textOfHtml, withoutTags } from '../../../src/channels/body/html-to-text.ts'

const LIMITS = { section: 100, total: 400 }

test('a text is cut after line ends', () => {
  const text = 'a line of twenty one\n'.repeat(8)
  const cut = sections(text, LIMITS)
  assert.equal(cut.join(''), text)
  assert.ok(cut.every((each) => each.endsWith('\n')))
})

test('a line without end is cut after a space, a word without end between graphemes', () => {
  assert.deepEqual(
    sections(`${'word '.repeat(30)}`, LIMITS).map((each) => each.at(-1)),
    [' ', ' '],
  )
  const family = '👨‍👩‍👧‍👦'
  const cut = sections(family.repeat(20), LIMITS)
  assert.ok(cut.length > 1)
  assert.ok(cut.every((each) => each.replaceAll(family, '') === ''))
})

test('neither an entity nor a link is cut', () => {
  const text = `${'x'.repeat(90)}&amp;${'y'.repeat(70)}<https://example.test/a|label>${'z'.repeat(50)}`
  const cut = sections(text, LIMITS)
  assert.equal(cut.join(''), text)
  for (const each of cut) assert.doesNotMatch(each, /&[^;]*$|<[^>]*$/)
})

test('a code fence that spans sections is closed and opened again', () => {
  const [first, second] = sections(`before\n\`\`\`\n${'log line\n'.repeat(15)}\`\`\`\nafter`, LIMITS)
  assert.match(first ?? '', /^before\n```\n[^`]*\n```$/)
  assert.match(second ?? '', /^```\n[^`]*```\nafter$/)
})

test('cutting ends before the rest of the total is too small for a section', () => {
  for (let total = 0; total < 300; total++) assert.ok(sections('👍'.repeat(400), { section: 100, total }).length <= 5)
})

test('sections keep their limits and are well-formed for any text', () => {
  const pieces = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '```',
    '&amp;',
    '<!here>',
    '漢',
    '👍🏽',
    'e\u0301'.repeat(80),
    '🇩🇪',
    '\u200d',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 400 }), (parts) => {
      const cut = sections(parts.join(''), LIMITS)
      assert.ok(cut.every((each) => each.length <= LIMITS.section && each.isWellFormed() && each.trim() !== ''))
      assert.ok(cut.join('').length <= LIMITS.total)
    }),
  )
})

test('entities become characters, and other text stays', () => {
  assert.equal(
    decodeEntities('a &lt; b &amp;amp; &#39;c&#39; &#x1F514; &copy; &#0; &#xD800; &#9999999;'),
    "a < b &amp; 'c' 🔔 &copy; &#0; &#xD800; &#9999999;",
  )
})

test('a document reads as its reader would see it', () => {
  const html = `<html><head><title>no</title></head><body><!-- no --><h1>Down</h1>
<table><tr><td>shard</td><td>7</td></tr></table><p>one<br>two</p>
<a href="https://bell.example/1">open</a> <a href='https://bell.example/2'>https://bell.example/2</a></body></html>`
  assert.equal(textOfHtml(html), 'Down\n\nshard 7\n\none\ntwo\n\nopen (https://bell.example/1) https://bell.example/2')
})

test('tags are removed, a comparison stays', () => {
  assert.equal(withoutTags('<b>5 < 6</b> &amp; <a href="x">y</a> <3'), '5 < 6 & y <3')
})
