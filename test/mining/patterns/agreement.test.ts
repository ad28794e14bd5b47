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

describe('names after a noun', () => {
  const templates: readonly (readonly [what: string, line: (name: string) => string, template: string])[] = [
    ['a kernel', (name) => `session opened for user ${name} by 7`, 'session opened for user <*> by <*>'],
    ['a message broker', (name) => `7 messages in queue ${name} expired`, '<*> messages in queue <*> expired'],
    ['a database', (name) => `scan of table ${name} took 12 ms`, 'scan of table <*> took <*> ms'],
    ['a cluster', (name) => `lease moved to node ${name} again`, 'lease moved to node <*> again'],
  ]
  for (const [what, line, template] of templates) {
    test(`are variable with two of them in few lines, three of them in many: ${what}`, () => {
      assert.deepEqual(templatesOf(['kim', 'pat'].map(line)), [template])
      const often = Array.from({ length: 20 }, () => line('kim'))
      assert.equal(templatesOf([...often, line('pat')]).length, 2)
      assert.deepEqual(templatesOf([...often, line('pat'), line('ann')]), [template])
    })
  }

  test('are no errors, no words in capitals, and need a preposition', () => {
    const apart = [
      ['connection to host lost again', 'connection to host refused again'],
      ['moved to partition ONLINE of 7', 'moved to partition OFFLINE of 7'],
      ['the table orders was read', 'the table locked was read'],
    ]
    for (const lines of apart) assert.equal(templatesOf(lines).length, lines.length)
  })
})
