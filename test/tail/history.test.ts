import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { History } from '../../src/tail/history.ts'

const ALL = { through: Number.MAX_SAFE_INTEGER, filter: {}, maxBytes: Number.MAX_SAFE_INTEGER }

test('the latest lines are kept, whole and in order, within both bounds', () => {
  const bounds = { maxEntries: 12, maxBytes: 300 }
  const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), minLength: 1, maxLength: 40 }), {
    maxLength: 120,
  })
  fc.assert(
    fc.property(lines, (texts) => {
      const history = new History(bounds)
      texts.forEach((line, at) => {
        history.push({ number: at + 1, line })
        const kept = history.page(0, ALL).lines
        assert.deepEqual(kept, texts.slice(at + 1 - kept.length, at + 1))
        assert.equal(history.missedAfter(0), at + 1 - kept.length)
        const bytes = kept.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
        assert.ok(kept.length <= bounds.maxEntries && bytes <= bounds.maxBytes)
        // No more than one line's worth of bytes is left unused at the end of the ring, and as much at its front.
        const isFull = kept.length === bounds.maxEntries || bytes > bounds.maxBytes - 2 * 160
        assert.ok(isFull || kept.length === at + 1)
      })
    }),
  )
})

test('a page ends where it is full, and the next begins there', () => {
  const history = new History({ maxEntries: 100, maxBytes: 10_000 })
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`)
  lines.forEach((line, at) => {
    history.push({ number: at + 1, line })
  })
  const read: string[] = []
  for (let number = 0; number < 40; ) {
    const page = history.page(number, { ...ALL, through: 40, maxBytes: 30 })
    assert.ok(page.lines.length > 0 && page.through > number)
    read.push(...page.lines)
    number = page.through
  }
  assert.deepEqual(read, lines.slice(0, 40))
})
