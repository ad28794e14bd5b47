import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CHANNELS } from '../../../src/channels/index.ts'
import { CHANNEL_NAMES } from '../../../src/domain/delivery.ts'
import { fitWithLine, withLine, withRoomForLine } from '../../../src/render/text/fallback.ts'
import { COSTS } from '../../../src/render/text/fitting/cost.ts'

const LINE = '🔁 ×14 since 03:12 UTC, last 03:40 UTC'

test('a line at the end of a text is never cut, whatever the text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 50 }),
    fc.string({ minLength: 9_000, maxLength: 12_000 }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...CHANNEL_NAMES), text, (name, given) => {
      const { text: rules } = CHANNELS[name]
      const fitted = fitWithLine(given, LINE, rules, 'https://tocsin.example.net/#/incidents/1')
      assert(fitted.text.includes('🔁 ×14 since 03:12 UTC, last 03:40 UTC'), fitted.text.slice(-200))
      const max = rules.limit.unit === 'json-bytes' ? rules.limit.max - 2 : rules.limit.max
      if (rules.limit.unit === 'utf16') assert(COSTS.utf16.of(fitted.text) <= max)
      assert(
        COSTS[rules.limit.unit].prefixWithin(fitted.text, max) === fitted.text.length || rules.limit.unit === 'visible',
      )
    }),
    { seed: 20_300_101, numRuns: 60 },
  )
})

test('a text without a line stays as it was', () => {
  const { text: rules } = CHANNELS.chatws
  assert.equal(fitWithLine('text', undefined, rules, '').text, 'text')
  assert.equal(withRoomForLine(undefined, rules), rules)
  assert.deepEqual(withLine({ text: 'text' }, undefined, rules), { text: 'text' })
  assert.deepEqual(withLine({ text: 'text' }, LINE, rules), { text: `text\n${LINE}` })
})
