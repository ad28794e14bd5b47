import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batch } from '../../../src/render/pool/batch.ts'
import type { TurnEnd } from '../../../src/render/pool/threads.ts'

const rendered = (...texts: string[]): TurnEnd => ({
  kind: 'rendered',
  texts,
  renderMs: texts.map(() => 1),
  cuts: [],
})

function outcomes(batch: Batch<string>): string[] {
  assert.deepEqual(batch.next(), [])
  return batch.results.map((each) => (each.kind === 'text' ? each.text : each.failure.code))
}

test('a turn that rendered only some items is followed by one with the others', () => {
  const batch = new Batch(['a', 'b', 'c'], 100)
  batch.endTurn(rendered('A'))
  assert.deepEqual(batch.next(), ['b', 'c'])
  batch.endTurn(rendered('B', 'C'))
  assert.deepEqual(outcomes(batch), ['A', 'B', 'C'])
})

test('a late item fails and the others are rendered', () => {
  const batch = new Batch(['a', 'b', 'c'], 100)
  batch.endTurn({ kind: 'late', item: 2 })
  assert.deepEqual(batch.next(), ['a', 'c'])
  batch.endTurn(rendered('A', 'C'))
  assert.deepEqual(outcomes(batch), ['A', 'template_deadline', 'C'])
})

test('an item during which a thread died is tried once more, alone and last', () => {
  const batch = new Batch(['a', 'b', 'c'], 100)
  batch.endTurn({ kind: 'died', item: 2, message: 'out of memory' })
  assert.deepEqual(batch.next(), ['a', 'c'])
  batch.endTurn(rendered('A', 'C'))
  assert.deepEqual(batch.next(), ['b'])
  batch.endTurn({ kind: 'died', item: 1, message: 'out of memory' })
  assert.deepEqual(outcomes(batch), ['A', 'template_failed', 'C'])
})

test('an item during which a thread died by chance keeps its text', () => {
  const batch = new Batch(['a', 'b'], 100)
  batch.endTurn({ kind: 'died', item: 1, message: 'exit' })
  batch.endTurn(rendered('B'))
  batch.endTurn(rendered('A'))
  assert.deepEqual(outcomes(batch), ['A', 'B'])
})

test('after four failed turns the remaining items fail', () => {
  const batch = new Batch(['a', 'b', 'c', 'd', 'e', 'f'], 100)
  for (let n = 0; n < 4; n++) batch.endTurn({ kind: 'late', item: 1 })
  assert.deepEqual(outcomes(batch), Array(6).fill('template_deadline'))
})

test('after four turns in which no thread starts the items fail', () => {
  const batch = new Batch(['a'], 100)
  for (let n = 0; n < 3; n++) batch.endTurn({ kind: 'late' })
  assert.deepEqual(batch.next(), ['a'])
  batch.endTurn({ kind: 'died', message: 'no memory' })
  assert.deepEqual(outcomes(batch), ['template_failed'])
})
