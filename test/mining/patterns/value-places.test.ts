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

/** Lines of made-up software with numbered names, and their common template. */
const NUMBERED: readonly (readonly [what: string, lines: readonly string[], template: string])[] = [
  ['a kernel: processes', ['indexer[12]: segfault', 'indexer[4711]: segfault'], 'indexer[<*>]: segfault'],
  ['a web server: workers', ['worker(3) is idle', 'worker(17) is idle'], 'worker(<*>) is idle'],
  [
    'a Java stack: three names make a variable',
    ['pool main(3) is full', 'pool batch(4) is full', 'pool mail(5) is full'],
    'pool <*> is full',
  ],
  [
    'a message broker: names in brackets',
    ['member [indexer(3)] left the group', 'member [mailer(12)] left the group'],
    'member [<*>] left the group',
  ],
]

describe('a name and its number', () => {
  for (const [what, lines, template] of NUMBERED) {
    test(`are one token: ${what}`, () => assert.deepEqual(templatesOf(lines), [template]))
  }

  test('keep the name while there are few', () => {
    assert.equal(templatesOf(['cron[17]: begun by 3', 'sshd[18]: begun by 3']).length, 2)
    assert.equal(templatesOf(['exit(1)', 'abort(1)', 'kill(9)']).length, 3)
  })

  test('are not one token when more than a number stands in the brackets', () => {
    assert.deepEqual(templatesOf(['table orders(7 rows)', 'table orders(8 rows)']), ['table orders(<*> rows)'])
  })
})

/** Lines of made-up software that differ only in a thread's name, and their common template. */
const THREADS: readonly (readonly [what: string, lines: readonly string[], template: string])[] = [
  [
    'a Java stack: between time and level',
    ['[main] INFO com.shop.Cart - put', '[RMI Reaper 3] INFO com.shop.Cart - put', '[a[b]] INFO com.shop.Cart - put'],
    '[<*>] INFO com.shop.Cart - put',
  ],
  [
    'a message broker: between level and logger',
    ['12 WARN [Log Cleaner] kafka.log.Segment: slow', '13 WARN [flusher:Sync@17] kafka.log.Segment: slow'],
    '<*> WARN [<*>] kafka.log.Segment: slow',
  ],
  [
    'a web server: before the mark that ends a header',
    ['- ERROR [acceptor one] - port 80 is taken', '- ERROR [Acceptor two] - port 81 is taken'],
    '- ERROR [<*>] - port <*> is taken',
  ],
  [
    'a database: a logger in mixed case',
    ['[Commit Queue] [INFO] WalWriter: flushed', '[Autovacuum] [INFO] WalWriter: flushed'],
    '[<*>] [INFO] WalWriter: flushed',
  ],
]

/** Lines of made-up software in which a value may be absent, and their common template. */
const EMPTY: readonly (readonly [what: string, lines: readonly string[], template: string])[] = [
  ['a web server: a referrer', ['served /a to "-"', 'served /b to "probe"'], 'served <*> to "<*>"'],
  ['a Java stack: a request', ['[-] cart 7 was put', '[9f2c7a71] cart 8 was put'], '[<*>] cart <*> was put'],
  [
    'a service in Python: columns of a request',
    ['[req-4f1e22 7f3c21 - - -] took 3 s', '[req-9a8b7c - - - -] took 4 s', '[-] took 5 s'],
    '[<*>] took <*> s',
  ],
  ['a kernel: options', ['mounted vda, opts (null)', 'mounted vda, opts (discard)'], 'mounted vda, opts (<*>)'],
  ['a database: a role', ['granted to role=- by 7', 'granted to role=kim by 8'], 'granted to role=<*> by <*>'],
  ['a message broker: empty quotes', ["vhost '' of 7 opened", "vhost 'shop' of 8 opened"], "vhost '<*>' of <*> opened"],
  ['a message broker: empty brackets', ['replicas [] of 7', 'replicas [4] of 8'], 'replicas [<*>] of <*>'],
]

describe('an empty value', () => {
  for (const [what, lines, template] of EMPTY) {
    test(`agrees with any: ${what}`, () => assert.deepEqual(templatesOf(lines), [template]))
  }

  test('is no dash between words, and no call without arguments', () => {
    assert.deepEqual(templatesOf(['cart - put 7', 'run() - f[] of 7']), ['cart - put <*>', 'run() - f[] of <*>'])
  })
})

describe('the name of a thread', () => {
  for (const [what, lines, template] of THREADS) {
    test(`is a value: ${what}`, () => assert.deepEqual(templatesOf(lines), [template]))
  }

  test('stands before a logger; other texts in brackets are words', () => {
    const lines = [
      'INFO [cache of north] is warm',
      'INFO [cache of south] is warm',
      '[cache of west] is warm, com.shop.X: 7',
    ]
    assert.equal(templatesOf(lines).length, 3)
    assert.equal(templatesOf(['INFO [disk one] Error: gone', 'INFO [disk two] Error: gone']).length, 2)
  })
})

describe('words in places of values', () => {
  for (const [what, lines, template] of SAME) {
    test(`are values: ${what}`, () => assert.deepEqual(templatesOf(lines), [template]))
  }
  for (const [what, lines] of DIFFERENT) {
    test(`are words: ${what}`, () => assert.equal(templatesOf(lines).length, lines.length))
  }
})
