import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { templatesOf } from '../lines.ts'

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'sigma', 'theta']

/** Headers of made-up software before the same message. */
const HEADERS: readonly (readonly [what: string, header: string])[] = [
  ['a Java stack', '2026-05-12 09:00:01,123 [main] INFO com.shop.Cart - '],
  ['a kernel', 'May 12 09:00:01 mercury kernel: '],
  ['a web server', '2026/05/12 09:00:01 [notice] '],
  ['a message broker', '[2026-05-12 09:00:01,123] WARN [Log Cleaner] kafka.log.Segment: '],
  ['a supercomputer', '1117838570 R02-M1 RAS KERNEL INFO '],
]

describe('words of the header', () => {
  for (const [what, header] of HEADERS) {
    test(`are no agreement between templates: ${what}`, () => {
      assert.equal(templatesOf(NAMES.map((name) => `${header}evicted ${name}`)).length, NAMES.length)
      assert.equal(templatesOf(NAMES.map((name) => `${header}the region ${name} was evicted`)).length, 1)
      assert.equal(templatesOf([`${header}evicted 17`, `${header}evicted alpha`]).length, 2)
    })
  }
})
