import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileMatcher, MatchCache } from '../../src/policy/matcher.ts'

const matcher = (...values: string[]) => compileMatcher(values, new MatchCache())

test('text is exact, and a list means any of', () => {
  const { matches } = matcher('db', 'storage')
  assert.deepEqual(['db', 'storage', 'DB', 'db-1', ''].map(matches), [true, true, false, false, false])
})

test('a star stands for any characters and a question mark for one', () => {
  const { matches } = matcher('db-*', '?.log')
  assert.deepEqual(['db-', 'db-a\nb', 'xdb-1', 'a.log', 'ab.log', 'aXlog', '.log'].map(matches), [
    true,
    true,
    false,
    true,
    false,
    false,
    false,
  ])
})

test('all other characters of a glob stand for themselves', () => {
  assert.equal(matcher('[FIRING:2] {a,b} (x) \\d ^$ *').matches('[FIRING:2] {a,b} (x) \\d ^$ disk'), true)
  assert.equal(matcher('[FIRING:2]*').matches('F'), false)
})

test('text between slashes is a regular expression for the whole value', () => {
  const { matches } = matcher('/disk (full|slow)/')
  assert.deepEqual(['disk full', 'disk fuller', 'a disk full'].map(matches), [true, false, false])
  assert.equal(matcher('/(?i)DISK.*/').matches('disk full'), true)
})

test('an exclamation mark negates, and all values of a list with it', () => {
  const { matches } = matcher('!a', '!b*')
  assert.deepEqual(['a', 'b1', 'c', ''].map(matches), [false, false, true, true])
})

test('an empty text matches what is absent, and its negation what is there', () => {
  assert.deepEqual(['', 'x'].map(matcher('').matches), [true, false])
  assert.deepEqual(['', 'x'].map(matcher('!').matches), [false, true])
})

test('a pattern reads the first 256 characters, a literal all', () => {
  const long = 'a'.repeat(300)
  assert.equal(matcher('*b').matches(`${long}b`), false)
  assert.equal(matcher('a*').matches(`${long}b`), true)
  assert.equal(matcher(`${long}b`).matches(`${long}b`), true)
  assert.equal(matcher(`${long}b`).matches(long), false)
})

test('a glob fits exactly the texts that its parts and wildcards make up', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 8 })
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '*', '?', '😀'), maxLength: 6 })
  fc.assert(
    fc.property(glob, text, (pattern, value) => {
      assert.equal(matcher(pattern).matches(value), fitsGlob([...pattern], [...value]))
    }),
    { numRuns: 500 },
  )
})

test('of the values of one incident a regular expression is compared with the first 32 different ones', () => {
  const values = Array.from({ length: 40 }, (_, n) => `host-${n}`)
  const fitting = (...patterns: string[]) => [...values, ...values].filter(matcher(...patterns).forIncident()).length
  assert.deepEqual(
    [fitting('/host-.+/'), fitting('!/web-.+/'), fitting('host-*'), fitting('!web-*'), fitting('/db-.+/', 'host-39')],
    [64, 64, 80, 80, 2],
  )
})

test('results are the same with and without memory', () => {
  const cache = new MatchCache()
  const [one, other] = [compileMatcher(['a*'], cache), compileMatcher(['*a'], cache)]
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 }), (value) => {
      for (let time = 0; time < 2; time++) {
        assert.equal(one.matches(value), value.startsWith('a'))
        assert.equal(other.matches(value), value.endsWith('a'))
      }
    }),
  )
})

test('a glob agrees with a plain matcher, character by character', () => {
  const plain = (glob: string, value: string): boolean => {
    if (glob === '') return value === ''
    if (glob[0] === '*') return plain(glob.slice(1), value) || (value !== '' && plain(glob, value.slice(1)))
    return value !== '' && (glob[0] === '?' || glob[0] === value[0]) && plain(glob.slice(1), value.slice(1))
  }
  const text = fc.string({ unit: fc.constantFrom('a', '.', '[', '\n'), maxLength: 6 })
  const glob = fc.string({ unit: fc.constantFrom('*', '?', 'a', '.', '['), maxLength: 5 }).map((text) => `*${text}`)
  fc.assert(
    fc.property(glob, text, (written, value) => assert.equal(matcher(written).matches(value), plain(written, value))),
  )
})

/** Compares characters one by one, trying every length of a star. */
function fitsGlob([first, ...rest]: readonly string[], value: readonly string[]): boolean {
  if (first === undefined) return value.length === 0
  if (first === '*') return value.some((_, at) => fitsGlob(rest, value.slice(at))) || fitsGlob(rest, [])
  return value.length > 0 && (first === '?' || first === value[0]) && fitsGlob(rest, value.slice(1))
}
