import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { CodedError } from '../../../src/domain/errors.ts'
import { SourcePoller } from '../../../src/mining/input/source-poller.ts'
import type { Cursor, LogSource, Pulled } from '../../../src/mining/sources/contract.ts'

const SOON_MS = 5_000

/** A source that returns one text per pull, and can hang or fail. */
class FakeSource implements LogSource {
  readonly texts: string[]
  state: 'works' | 'hangs' | 'fails' = 'works'
  closed = false
  constructor(...texts: string[]) {
    this.texts = texts
  }
  async pull(cursor: Cursor | undefined, signal: AbortSignal): Promise<Pulled> {
    if (this.state === 'fails') throw new CodedError('source_failed', 'it is on fire')
    if (this.state === 'hangs')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const at = Number(cursor?.at ?? 0)
    const text = this.texts[at]
    const events = text === undefined ? [] : [{ text }]
    return { events, cursor: { at: at + events.length }, more: at + 1 < this.texts.length }
  }
  async close(): Promise<void> {
    this.closed = true
  }
}

function poller(sources: { readonly [name: string]: FakeSource }, cursors = {}) {
  const taken: string[] = []
  const reports: string[] = []
  const clock = { ms: 1_000_000 }
  const named = Object.entries(sources).map(([name, source]) => ({ name, type: 'file', source }))
  const all = new SourcePoller(named, {
    cursors,
    process: (source, events) => taken.push(...events.map(({ text }) => `${source}: ${text}`)),
    report: (source, what, text) => reports.push([source, what, text].join(' ').trim()),
    now: () => clock.ms,
    closed: async () => {},
  })
  return { all, taken, reports, clock }
}

test('every source is read to its end from its cursor, and returns the next cursor', async () => {
  const { all, taken } = poller({ a: new FakeSource('a0', 'a1', 'a2'), b: new FakeSource('b0') }, { a: { at: 1 } })
  await all.pollAll(SOON_MS)
  assert.deepEqual(taken.sort(), ['a: a1', 'a: a2', 'b: b0'])
  assert.deepEqual(all.cursors(), { a: { at: 3 }, b: { at: 1 } })
  await all.close()
})

test('a source that hangs or fails delays no other, and its cursor does not move', async () => {
  const [slow, broken, good] = [new FakeSource('s0'), new FakeSource('f0'), new FakeSource('g0', 'g1')]
  slow.state = 'hangs'
  broken.state = 'fails'
  const { all, taken, reports, clock } = poller({ slow, broken, good })
  await all.pollAll(20)
  while (taken.length < 2) await turn()
  assert.deepEqual(taken, ['good: g0', 'good: g1'])
  assert.deepEqual(reports, ['broken failed it is on fire'])
  clock.ms += 500
  assert.deepEqual(
    all.status().map(({ name, state, error, lag_ms }) => [name, state, error, lag_ms]),
    [
      ['slow', 'reading', '', 500],
      ['broken', 'failing', 'it is on fire', 500],
      ['good', 'ok', '', 0],
    ],
  )
  good.texts.push('g2')
  await all.pollAll(20)
  assert.deepEqual(reports.length, 1, 'the same failure is reported once')
  broken.state = 'works'
  await all.pollAll(20)
  while (taken.length < 4) await turn()
  assert.deepEqual(reports.at(-1), 'broken recovered')
  assert.deepEqual(taken.slice(2), ['good: g2', 'broken: f0'])
  await all.close()
  assert.ok(slow.closed && broken.closed && good.closed)
})

test('a tick is complete when the source was up to date at its start and end', async () => {
  const source = new FakeSource('a0')
  const { all, clock } = poller({ a: source })
  const tick = async (ms: number) => {
    clock.ms += ms
    await all.pollAll(SOON_MS)
    return all.incompleteTick(1_000).size === 0
  }
  assert.equal(await tick(1_000), false, 'the first tick has no known start')
  assert.equal(await tick(1_000), true)
  source.state = 'fails'
  assert.equal(await tick(1_000), false)
  source.state = 'works'
  assert.equal(await tick(1_000), false, 'it reads a backlog')
  assert.equal(await tick(1_000), true)
  assert.equal(await tick(5_000), false, 'the process was asleep')
  await all.close()
})

test('closing aborts reads and processes no more events', async () => {
  const slow = new FakeSource('s0')
  slow.state = 'hangs'
  const { all, taken } = poller({ slow })
  const round = all.pollAll(SOON_MS)
  await turn()
  await Promise.all([all.close(), all.close(), round])
  assert.deepEqual([taken, slow.closed, all.cursors()], [[], true, {}])
})
