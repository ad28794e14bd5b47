import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { templatesOf } from '../lines.ts'

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
