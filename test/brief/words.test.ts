import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsOf } from '../../src/brief/words.ts'

const equal = (one: Uint32Array, other: Uint32Array) => assert.deepEqual([...one], [...other])
const isLabel = (word: number) => (word & 1) === 1

test('words with digits, case and punctuation make no difference', () => {
  equal(wordsOf('Disk full on db-17.west', {}), wordsOf('DISK FULL: on db.west (p99)', {}))
})

test('camel case is split', () => {
  equal(wordsOf('KubePodCrashLooping', {}), wordsOf('kube pod crash looping', {}))
  equal(wordsOf('HTTPServerErrors', {}), wordsOf('http server errors', {}))
})

test('a word that is repeated counts once, and a script without spaces has a word for each character', () => {
  equal(wordsOf('disk disk', {}), wordsOf('disk', {}))
  equal(wordsOf('磁盘 已满', {}), wordsOf('磁盘已满', {}))
})

test('the lowest bit tells label pairs from words of the title', () => {
  const words = wordsOf('disk full', { job: 'db', env: 'live' })
  assert.deepEqual([...words].map(isLabel), [false, false, true, true])
})

test('label pairs are taken by name, without the severity', () => {
  equal(wordsOf('', { b: '1', a: '2', severity: 'critical' }), wordsOf('', { a: '2', b: '1' }))
  assert.equal(wordsOf('', { severity: 'critical' }).length, 0)
})

test('an opening has at most 16 words of the title and 8 label pairs', () => {
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at))
  const labels = Object.fromEntries(letters.map((letter) => [letter, 'x']))
  const words = [...wordsOf(letters.join(' '), labels)]
  assert.equal(words.filter(isLabel).length, 8)
  assert.equal(words.length, 24)
})
