import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sections } from '../../../src/channels/body/chat-sections.ts'

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
