import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { templatesOf } from '../lines.ts'

/** Lines of made-up software that differ only in values, and their common template. */
const SAME: readonly (readonly [what: string, lines: readonly string[], template: string])[] = [
  [
    'a web server: words in quotes',
    ['server "shop" has no route for host \'north\'', 'server "mail" has no route for host \'south\''],
    'server "<*>" has no route for host \'<*>\'',
  ],
  [
    'a message broker: words in brackets',
    ['rebalanced group [orders] after member (indexer) left', 'rebalanced group [stock2] after member (mailer) left'],
    'rebalanced group [<*>] after member (<*>) left',
  ],
  [
    'a database: words after an equals sign',
    ['authorized user=kim database=ledger tls=off', 'authorized user=root database=stock tls=on'],
    'authorized user=<*> database=<*> tls=<*>',
  ],
  [
    'a kernel: a driver in brackets',
    ['mount of volume (vda) done, options=ro', 'mount of volume (sdb) done, options=rw'],
    'mount of volume (<*>) done, options=<*>',
  ],
  [
    'a Java stack: JSON, of which the names of fields stay',
    ['{"msg":"lease taken","owner":"kim"}', '{"msg":"lease taken","owner":"pat"}'],
    '{"msg":"lease taken","owner":"<*>"}',
  ],
  [
    'prose: a colon after a quoted word does not make it a field',
    ["user 'kim': password too old", "user 'pat': password too old"],
    "user '<*>': password too old",
  ],
]

/** Lines that must keep separate templates. */
const DIFFERENT: readonly (readonly [what: string, lines: readonly string[]])[] = [
  ['a web server: levels in brackets', ['[warn] upstream is slow', '[notice] upstream is slow']],
  ['a message broker: states in capitals', ['partition 7 went [ONLINE]', 'partition 7 went [OFFLINE]']],
  ['a database: fields that hold words', ['checkpoint 3 state=begun', 'checkpoint 3 state=complete']],
  ['a kernel: fields that hold words, in quotes', ['link 2 new_status: "up"', 'link 2 new_status: "absent"']],
  ['a Java stack: events', ['job 7 lastEvent=paused', 'job 7 lastEvent=resumed']],
  ['a service in Go: messages of one word', ['level=info msg=started', 'level=info msg=stopped']],
  ['errors, wherever they stand', ['request 7 ended "closed"', 'request 7 ended "refused"']],
  ['JSON: names of fields', ['{"kim":7}', '{"pat":7}']],
  ['comparisons', ['queue with size!=full', 'queue with size!=empty']],
]

describe('words in places of values', () => {
  for (const [what, lines, template] of SAME) {
    test(`are values: ${what}`, () => assert.deepEqual(templatesOf(lines), [template]))
  }
  for (const [what, lines] of DIFFERENT) {
    test(`are words: ${what}`, () => assert.equal(templatesOf(lines).length, lines.length))
  }
})
