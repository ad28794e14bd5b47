import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { bareMiner, line, OPTIONS, stored } from '../lines.ts'

const MEGABYTE = 1_048_576
const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ['nothing', ''],
  ['blanks', ' \t  \n '],
  ['a megabyte of one word', 'x'.repeat(MEGABYTE)],
  ['a megabyte of words', 'word '.repeat(MEGABYTE / 5)],
  ['a megabyte of values', '7 '.repeat(MEGABYTE / 2)],
  ['a megabyte of separators', '=,;:'.repeat(MEGABYTE / 4)],
  ['a megabyte of dots', '.'.repeat(MEGABYTE)],
  ['a megabyte of wildcards', '<*>'.repeat(MEGABYTE / 3)],
  ['a megabyte of colons in hex', 'a:'.repeat(MEGABYTE / 2)],
  ['a megabyte of indented lines', 'x\n '.repeat(MEGABYTE / 3)],
  ['an escape that never ends', `\u001b[${'1;'.repeat(MEGABYTE / 2)}`],
  ['a redaction that never ends', `<REDACTED${'x'.repeat(MEGABYTE)}`],
  ['NUL', 'a\u0000b \u0000 c'],
  ['units used in keys', '\u0001\u0002 \u0002 a\u0002b \u0001'],
  ['a lone surrogate', 'half \ud83d of \udc00 it'],
  ['text of several languages', 'Fehler 💥 in Übersicht, 失敗 7 件, ошибка №5'],
  ['names of prototypes', '__proto__ constructor toString'],
  ['wildcards in the text', '<*> <*>x y<*> <<*>> <*><*>'],
]

describe('a hostile line', () => {
  for (const [what, text] of HOSTILE) {
    test(`of ${what} is mined like any other`, () => {
      const miner = bareMiner()
      const first = miner.observe(text, 'app')
      assert.equal(miner.observe(text, 'app'), first)
      assert.ok(first.template.text.length <= 8_192)
    })

    test(`of ${what} is found again after a restart`, () => {
      const watch = new AnomalyDetector(OPTIONS)
      const { id } = watch.observe(line(text), 1)
      const again = new AnomalyDetector(OPTIONS, stored(watch))
      assert.deepEqual(again.observe(line(text), 2), { id, isNew: false })
    })
  }

  test('of any kind is mined, and found again after a restart', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 })
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (lines) => {
        const watch = new AnomalyDetector(OPTIONS)
        for (const each of lines) watch.observe(line(each), 1)
        const again = new AnomalyDetector(OPTIONS, stored(watch))
        for (const each of lines) assert.equal(again.observe(line(each), 2).id, watch.observe(line(each), 2).id)
      }),
    )
  })
})
