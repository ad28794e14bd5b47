import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileMatchers, operatorOf, parseMatcher } from '../../src/alertmanager/matchers.ts'

const PARSED: readonly (readonly [text: string, matcher: string])[] = [
  ['foo=bar', 'foo|=|bar'],
  [' foo = bar ', 'foo|=|bar'],
  ['foo="bar"', 'foo|=|bar'],
  ['foo=', 'foo|=|'],
  ['foo=bar,', 'foo|=|bar,'],
  ['"a b"=c,', 'a b|=|c'],
  ['foo!="a b"', 'foo|!=|a b'],
  ['foo=a b', 'foo|=|a b'],
  ['foo=~"5.."', 'foo|=~|5..'],
  ['foo!~bar|baz', 'foo|!~|bar|baz'],
  ['foo="a\\"b"', 'foo|=|a"b'],
  ['foo="a\\nb"', 'foo|=|a\nb'],
  ['foo=a\\d', 'foo|=|a\\d'],
  ['foo=~"\\\\d+"', 'foo|=~|\\d+'],
  ['"k8s.pod"=db', 'k8s.pod|=|db'],
  ['k8s.pod=db', 'k8s.pod|=|db'],
  ['größe="ü"', 'größe|=|ü'],
  ['"a b"="\\u00fc\\xc3\\xbc"', 'a b|=|üü'],
  [' {foo=bar} ', 'foo|=|bar'],
  ['foo==x', 'foo|=|=x'],
  // Both grammars take it, and the classic one decides: `\t` is no escape there.
  ['foo="a\\tb"', 'foo|=|a\\tb'],
]

test('matchers are read by both grammars', () => {
  for (const [text, wanted] of PARSED) {
    const { name, value, ...matcher } = parseMatcher(text)
    assert.equal([name, operatorOf(matcher), value].join('|'), wanted, text)
  }
})

test('what neither grammar reads is refused', () => {
  const bad = [
    '',
    'a b=c',
    ...'foo =bar {foo=bar} foo=bar} foo="a"b" foo="bar "a_b"= foo=~"(" "a.b"="\\xff"'.split(' '),
  ]
  for (const text of bad) assert.throws(() => parseMatcher(text), text)
})

test('an absent label is an empty text, and an expression has to match a whole text', () => {
  for (const [text, labels, wanted] of [
    ['a=""', {}, true],
    ['a!=""', {}, false],
    ['a=~".*"', {}, true],
    ['a!~".+"', {}, true],
    ['a=~"b"', { a: 'abc' }, false],
    ['a=~"b|abc"', { a: 'abc' }, true],
    ['toString=""', {}, true],
  ] as const)
    assert.equal(compileMatchers([parseMatcher(text)])(labels), wanted, text)
})
