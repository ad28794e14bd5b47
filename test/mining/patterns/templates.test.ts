import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { templatesOf } from '../lines.ts'

/** Lines that differ only in values, and their common template. */
const SAME: readonly (readonly [what: string, lines: readonly string[], template: string])[] = [
  ['numbers', ['retry 3 of 5', 'retry 12 of 50'], 'retry <*> of <*>'],
  ['addresses with ports', ['from 10.0.0.7:5012 closed', 'from 192.168.100.20:80 closed'], 'from <*>:<*> closed'],
  ['IPv6 addresses', ['peer fe80::1ff:23 left', 'peer 2001:db8::42 left', 'peer ::1 left'], 'peer <*> left'],
  [
    'hardware addresses',
    ['lease for de:ad:be:ef:ab:cd ends', 'lease for 00:1b:44:11:3a:b7 ends'],
    'lease for <*> ends',
  ],
  ['ISO times', ['2026-05-12T09:00:01.123Z up', '2026-05-12T10:31:59.001Z up'], '<*>:<*>:<*> up'],
  [
    'times with zones and without',
    ['2026-05-12T09:00:01Z up', '2026-05-12 10:31:59.001+02:00 up', '10:31:59,001 UTC up'],
    '<*> up',
  ],
  [
    'dates in words',
    ['at Sat Jul  9 12:16:49 2005 ok', 'at Mon Dec 12 01:02:03 2011 ok'],
    'at <*> <*> <*> <*>:<*>:<*> <*> ok',
  ],
  [
    'a date in words in brackets',
    ['[Sun Dec 04 20:32:37 2005] ok', '[Mon Dec 05 18:40:54 2005] ok'],
    '[<*> <*> <*> <*>:<*>:<*> <*>] ok',
  ],
  [
    'the host of a syslog header',
    ['Jun  9 06:06:20 web-a cron[17]: run', 'Jun 19 16:06:20 mailhub cron[4]: run'],
    '<*> <*> <*>:<*>:<*> <*> cron[<*>]: run',
  ],
  [
    'uuids',
    ['job 7f0c2b1e-9d52-4c58-8f5a-0c0ffee00001 done', 'job aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee1 done'],
    'job <*> done',
  ],
  ['hex', ['flag 0xFFAA set in 7f3ac2', 'flag 0x1 set in deadbee1'], 'flag <*> set in <*>'],
  ['paths', ['reads /var/log/app.log now', 'reads /etc/passwd now', 'reads C:\\Temp\\x.txt now'], 'reads <*> now'],
  ['web addresses', ['get https://a.example.com/x?y=1 ok', 'get http://localhost:8080/ ok'], 'get <*> ok'],
  [
    'host names',
    ['ping mail.example.com now', 'ping www.example.co.uk now', 'ping dsl-17.provider.nl now'],
    'ping <*> now',
  ],
  [
    'host names with a first label in capitals',
    ['replica DB2.corp.local is late', 'replica EDGE-A.example.com is late', 'replica MX.example.co.uk is late'],
    'replica <*> is late',
  ],
  [
    'single letters',
    ['drive c of pool is full', 'drive d of pool is full', 'drive e of pool is full'],
    'drive <*> of pool is full',
  ],
  ['mailboxes', ['mail to bob@example.com sent', 'mail to carol.x@test.example.org sent'], 'mail to <*> sent'],
  ['measures of different units', ['took 12 ms for 4 KB', 'took 3 seconds for 1.5 MB'], 'took <*> for <*>'],
  ['measures of one unit', ['took 12 ms', 'took 13 ms'], 'took <*> ms'],
  ['runs of values of different lengths', ['ids 1, 2, 3 gone', 'ids 4 gone'], 'ids <*> gone'],
  ['negative numbers in identifiers', ['block blk_17 ok', 'block blk_-42 ok'], 'block blk_<*> ok'],
  ['identifiers with numbers', ['disk sda1 full', 'disk sda2 full'], 'disk sda<*> full'],
  [
    'redacted values',
    ['login of <REDACTED:email> ok', 'login of <REDACTED:secret> ok', 'login of 17 ok'],
    'login of <*> ok',
  ],
  ['colours', ['\u001b[31mred\u001b[0m alert 1', 'red alert 2'], 'red alert <*>'],
  [
    'a line and its stack trace',
    ['boom 1\n\tat a.b.C(C.java:7)\n\tat d.e.F(F.java:9)', 'boom 2\n\tat g.h.I(I.java:1)'],
    'boom <*>',
  ],
]

/** Lines that must keep separate templates. */
const DIFFERENT: readonly (readonly [what: string, lines: readonly string[]])[] = [
  ['one plain word differs', ['connection accepted from 10.0.0.1', 'connection refused from 10.0.0.1']],
  ['levels differ', ['INFO disk sda1 checked', 'ERROR disk sda1 checked']],
  ['one more word', ['disk full', 'disk nearly full']],
  ['names with numbers keep their letters', ['eth0 is up', 'wlan0 is up']],
  ['an error word in place of a value', ['exit code 7 of job backup', 'exit code failed of job backup']],
  ['modules are no hosts', ['load org.apache.Loader now', 'load com.example.Loader now']],
  [
    'the cause in the second line differs',
    ['boom 1\njava.io.IOException: gone', 'boom 2\njava.lang.OutOfMemoryError: heap'],
  ],
  ['names in mixed case are no hosts', ['load Shop.internal now', 'load Mail.internal now']],
  ['a few single letters', ['zone a is full', 'zone b is full']],
  ['May is not always a month', ['May fail 3 times', 'Must fail 3 times']],
]

describe('templates', () => {
  for (const [what, lines, template] of SAME) {
    test(`are merged: ${what}`, () => assert.deepEqual(templatesOf(lines), [template]))
  }
  for (const [what, lines] of DIFFERENT) {
    test(`stay apart: ${what}`, () => assert.equal(templatesOf(lines).length, lines.length))
  }

  test('keep digits in names while they are the same in all lines', () => {
    assert.deepEqual(templatesOf(['jk2_init found 17', 'jk2_init found 18']), ['jk2_init found <*>'])
  })

  test('the host is a value only in a complete syslog header', () => {
    assert.equal(templatesOf(['Jun  9 06:06:20 alpha started', 'Jun  9 06:06:21 beta started']).length, 2)
  })
})

/** Lines of made-up software that repeat a group of columns, and their common template. */
const REPEATED: readonly (readonly [what: string, lines: readonly string[], template: string])[] = [
  [
    'a kernel: two columns',
    ['disk usage: sda1 7 %', 'disk usage: sda1 7 %, sda2 8 %', 'disk usage: sda1 7 %, sda2 8 %, sda3 9 %'],
    'disk usage: sda1 <*> %',
  ],
  [
    'a message broker: three columns',
    ['replicas at: node-1 lag 7', 'replicas at: node-1 lag 7; node-2 lag 9'],
    'replicas at: node-1 lag <*>',
  ],
  [
    'a database: columns that end with a word',
    ['vacuum: 7 pages removed', 'vacuum: 7 pages removed, 8 pages removed', 'vacuum: 1 pages removed, 2 pages removed'],
    'vacuum: <*> pages removed',
  ],
  [
    'a web server: fields',
    ['peers: ip=10.0.0.1 w=1', 'peers: ip=10.0.0.1 w=1 ip=10.0.0.2 w=2 ip=10.0.0.3 w=3'],
    'peers: ip=<*> w=<*>',
  ],
]

/** Lines of made-up software that hold stack frames, and their common template. */
const FRAMES: readonly (readonly [what: string, lines: readonly string[], template: string])[] = [
  [
    'Java: each in a line of its own',
    [
      'at com.shop.Cart.put(Cart.java:12)',
      'at java.base/jdk.internal.Call.run(Call.java)',
      'at com.shop.Main$1.run2(Native Method)',
    ],
    'at <*>',
  ],
  [
    'Java: in one line, of any number',
    [
      'cart 7 is broken: at com.shop.Cart.put(Cart.java:12)',
      'cart 8 is broken: at com.shop.Main.run(Main.java:7) at com.shop.Cart.put(Cart.java:12) at com.shop.X.y(X.kt:9)',
    ],
    'cart <*> is broken: at <*>',
  ],
  [
    'JavaScript',
    ['broke at put (/srv/cart.js:12:7)', 'broke at async Main.run (node:internal:7:1)', 'broke at new Cart (a.js:1:2)'],
    'broke at <*>',
  ],
  [
    '.NET',
    ['broke at Shop.Cart.Put(String name, Int32 n) in /src/Cart.cs:line 12', 'broke at Shop.Main.Run()'],
    'broke at <*>',
  ],
]

describe('a group of columns', () => {
  for (const [what, lines, template] of REPEATED) {
    test(`may repeat: ${what}`, () => {
      assert.deepEqual(templatesOf(lines), [template])
      assert.equal(templatesOf(lines.toReversed()).length, 1)
    })
  }

  test('holds a value: words that repeat stay', () => {
    assert.equal(templatesOf(['try again', 'try again, try again']).length, 2)
  })

  test('has at most four columns', () => {
    const group = 'a b c d 7 '
    assert.equal(templatesOf([group, group + group]).length, 2)
  })
})

describe('stack frames', () => {
  for (const [what, lines, template] of FRAMES) {
    test(`are values: ${what}`, () => {
      const [only, ...others] = templatesOf(lines)
      assert.equal(others.length, 0)
      assert.equal(only?.replace(/( at <\*>)+$/, ' at <*>'), template)
    })
  }

  test('are no calls in prose', () => {
    assert.equal(templatesOf(['broke at put(x)', 'broke at get(x)']).length, 2)
    assert.equal(templatesOf(['called shop.Cart.put(x)', 'called shop.Cart.get(x)']).length, 2)
  })
})
