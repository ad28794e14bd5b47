import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualScheduler, uncaughtErrors } from './support/by-hand.ts'

test('a pass runs the actors, then the links they filled', () => {
  const { scheduler, pass, scheduled } = manualScheduler()
  const ran: string[] = []
  scheduler.flushLink(() => ran.push('early link'))
  scheduler.runActor(() => {
    ran.push('actor')
    scheduler.flushLink(() => ran.push('link'))
  })
  pass()
  assert.deepEqual(ran, ['actor', 'early link', 'link'])
  assert.equal(scheduled(), 0)
})

test('an actor that has mail again runs in the next pass', () => {
  const { scheduler, pass, scheduled } = manualScheduler()
  let runs = 0
  const run = () => {
    runs++
    if (runs < 3) scheduler.runActor(run)
  }
  scheduler.runActor(run)
  pass()
  assert.equal(runs, 1)
  assert.equal(scheduled(), 1)
  pass()
  pass()
  assert.equal(runs, 3)
  assert.equal(scheduled(), 0)
})

test('callbacks scheduled while links are flushed run in the next pass', () => {
  const { scheduler, pass, scheduled } = manualScheduler()
  const ran: string[] = []
  scheduler.flushLink(() => {
    ran.push('first')
    scheduler.flushLink(() => ran.push('second'))
  })
  pass()
  assert.deepEqual(ran, ['first'])
  assert.equal(scheduled(), 1)
  pass()
  assert.deepEqual(ran, ['first', 'second'])
})

test('links are flushed at once on request, and not again by the pass', () => {
  const { scheduler, pass } = manualScheduler()
  const ran: string[] = []
  scheduler.runActor(() => ran.push('actor'))
  scheduler.flushLink(() => ran.push('link'))
  scheduler.flushLinks()
  assert.deepEqual(ran, ['link'])
  pass()
  assert.deepEqual(ran, ['link', 'actor'])
})

test('a callback that throws stops no other, and its error is uncaught', (t) => {
  const thrown = uncaughtErrors(t)
  const { scheduler, pass } = manualScheduler()
  const ran: string[] = []
  scheduler.runActor(() => {
    throw new Error('an actor')
  })
  scheduler.runActor(() => ran.push('actor'))
  scheduler.flushLink(() => {
    throw new Error('a link')
  })
  scheduler.flushLink(() => ran.push('link'))
  pass()
  assert.deepEqual(ran, ['actor', 'link'])
  assert.deepEqual(thrown.map(String), ['Error: an actor', 'Error: a link'])
  scheduler.runActor(() => ran.push('next pass'))
  pass()
  assert.equal(ran.at(-1), 'next pass')
})
