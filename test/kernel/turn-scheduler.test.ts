import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thrownApart, turnsByHand } from './support/by-hand.ts'

test('a pass runs the actors, then the links they filled', () => {
  const { turns, pass, scheduled } = turnsByHand()
  const ran: string[] = []
  turns.flushLink(() => ran.push('early link'))
  turns.runActor(() => {
    ran.push('actor')
    turns.flushLink(() => ran.push('link'))
  })
  pass()
  assert.deepEqual(ran, ['actor', 'early link', 'link'])
  assert.equal(scheduled(), 0)
})

test('an actor that has mail again runs in the next pass', () => {
  const { turns, pass, scheduled } = turnsByHand()
  let runs = 0
  const run = () => {
    runs++
    if (runs < 3) turns.runActor(run)
  }
  turns.runActor(run)
  pass()
  assert.equal(runs, 1)
  assert.equal(scheduled(), 1)
  pass()
  pass()
  assert.equal(runs, 3)
  assert.equal(scheduled(), 0)
})

test('what is asked for while links are flushed runs in the next pass', () => {
  const { turns, pass, scheduled } = turnsByHand()
  const ran: string[] = []
  turns.flushLink(() => {
    ran.push('first')
    turns.flushLink(() => ran.push('second'))
  })
  pass()
  assert.deepEqual(ran, ['first'])
  assert.equal(scheduled(), 1)
  pass()
  assert.deepEqual(ran, ['first', 'second'])
})

test('one that throws keeps no other from running, and its error is thrown apart', (t) => {
  const thrown = thrownApart(t)
  const { turns, pass } = turnsByHand()
  const ran: string[] = []
  turns.runActor(() => {
    throw new Error('an actor')
  })
  turns.runActor(() => ran.push('actor'))
  turns.flushLink(() => {
    throw new Error('a link')
  })
  turns.flushLink(() => ran.push('link'))
  pass()
  assert.deepEqual(ran, ['actor', 'link'])
  assert.deepEqual(thrown.map(String), ['Error: an actor', 'Error: a link'])
  turns.runActor(() => ran.push('next pass'))
  pass()
  assert.equal(ran.at(-1), 'next pass')
})
