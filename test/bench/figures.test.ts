import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskNote, withOtherDisks } from '../../bench/disk-note.ts'
import { goalRows, markdown, shown } from '../../bench/markdown.ts'
import { isMet, measure } from '../../bench/report.ts'

test('a figure is its median, with the spread of its samples', () => {
  assert.equal(shown(measure([30_500, 29_800.4, 31_002], 0)), '30,500 (29,800..31,002)')
  assert.equal(shown(measure([1, 2], 2)), '1.5 (1..2)')
  assert.equal(shown(measure([7], 0)), '7')
})

test('a goal stands beside what was measured, met or missed', () => {
  assert.equal(shown(measure([0.47], 2, { atLeast: 0.85 })), '0.47, goal >= 0.85: missed')
  assert.equal(shown(measure([2], 1, { atMost: 2 })), '2, goal <= 2: met')
  const rows = goalRows('ingest', {
    ingest: [{ connections: 64, how: 'alone', ratio: measure([0.9, 1], 2, { atLeast: 0.85 }) }],
  })
  assert.equal(
    markdown('Goals', rows).split('\n').at(-2),
    '| ingest | 64 connections, alone | ratio | >= 0.85 | 0.95 (0.9..1) | met |',
  )
})

test('a figure that could not be measured misses every goal, also after JSON', () => {
  for (const samples of [[Number.NaN], [], [Number.NaN, 0.2, 0.1]]) {
    const figure = measure(samples, 2, { atMost: 1 })
    for (const each of [figure, JSON.parse(JSON.stringify(figure)) as typeof figure]) {
      assert.equal(isMet(each, { atMost: 1 }), false)
      assert.match(shown(each), /^none.*goal <= 1: missed$/)
    }
  }
})

test('a table has the columns of all of its rows', () => {
  assert.deepEqual(
    markdown('t', [{ a: 1 }, { b: 'x' }])
      .split('\n')
      .slice(2),
    ['| a | b |', '| --- | --- |', '| 1 |  |', '|  | x |', ''],
  )
})

test('tables of another disk are published beside those of the usual one, and replace only their own', () => {
  const facts = {
    at: '',
    commit: '',
    machine: '',
    load: 0,
    quick: false,
    seconds: 1,
    curves: [],
    leftOut: '',
    errors: [],
  }
  const note = '; data on tmpfs'
  const usual = { ...facts, tables: { 'ingest: per second': [{ of: 'disk' }], 'ingest: per thread': [] } }
  const first = { ...facts, tables: { [`ingest: per second${note}`]: [{ of: 'memory' }] } }
  const second = { ...facts, tables: { [`ingest: per second${note}`]: [{ of: 'memory again' }] } }
  const before = withOtherDisks(first, { before: usual, note })
  assert.deepEqual(withOtherDisks(second, { before, note }).tables, { ...usual.tables, ...second.tables })
  const again = { ...facts, tables: { 'ingest: per second': [{ of: 'disk again' }] } }
  assert.deepEqual(Object.entries(withOtherDisks(again, { before, note: '' }).tables), [
    ['ingest: per second', [{ of: 'disk again' }]],
    [`ingest: per second${note}`, [{ of: 'memory' }]],
  ])
  assert.equal(diskNote(import.meta.dirname), `; data in ${import.meta.dirname}`)
})
