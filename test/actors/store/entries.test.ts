import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApplyProgress } from '../../../actors/store/apply-progress.ts'
import { entriesOf } from '../../../actors/store/decode-frame.ts'
import { encodeFrame, sealFrame } from '../../../src/domain/frame.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import type { StoredFrame } from '../../../src/journal/contract.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const body = (Logs: string) => Buffer.from(JSON.stringify({ Logs }))
const origin = { message_id: 'm', topic_arn: 'arn', subject: null, published_at: null, attributes: {} }

test('a frame is one entry, with what was sent in its place', () => {
  const frame = sealed(
    10,
    [[body('one'), body('two')], [body('three')]],
    [
      [0, { key: 'k', origin, source: 'topic' }],
      [1, { overrides: { oncallEnable: true } }],
    ],
  )
  const [entry, ...others] = entriesOf([frame], recognise)
  assert(entry?.kind === 'ready' && others.length === 0)
  assert.deepEqual([entry.first, entry.last, entry.committedAt], [10, 12, 5_000])
  assert.equal(Buffer.from(entry.contents).toString(), `${body('one')}${body('two')}${body('three')}`)
  const [first, second] = entry.submissions
  assert.deepEqual([first?.key, first?.origin, second?.overrides], ['k', origin, { oncallEnable: true }])
  assert.deepEqual(
    entry.submissions.flatMap(({ drafts }) =>
      drafts.map(({ id, title, source, createdAt }) => [id, title, source, createdAt]),
    ),
    [
      ['01930000-0000-7000-8000-00000000000a', 'one', 'topic', 1_000],
      ['01930000-0000-7000-8000-00000000000b', 'two', 'topic', 1_000],
      ['01930000-0000-7000-8000-00000000000c', 'three', 'webhook', 1_001],
    ],
  )
})

test('an incident that cannot be read is unreadable alone', () => {
  const broken = Buffer.from('{"Logs":')
  const frame = sealed(1, [[body('one'), broken, body('three')], [body('four')]], [[0, { key: 'k', origin }]])
  const entries = entriesOf([frame], recognise)
  assert.deepEqual(
    entries.map(({ kind, first, last }) => [kind, first, last]),
    [
      ['ready', 1, 1],
      ['unreadable', 2, 2],
      ['ready', 3, 3],
      ['ready', 4, 4],
    ],
  )
  const ready = entries.flatMap((entry) => (entry.kind === 'ready' ? entry : []))
  assert.deepEqual(
    ready.map(({ submissions, contents }) => [submissions[0]?.key, submissions[0]?.origin, Buffer.from(contents)]),
    [
      ['k', origin, body('one')],
      [undefined, undefined, body('three')],
      [undefined, undefined, body('four')],
    ],
  )
})

test('a recogniser that throws and a frame that cannot be read make unreadable entries', () => {
  const throwing = () => {
    throw new Error('on purpose')
  }
  const frame = sealed(1, [[body('one')]], [])
  const [thrown] = entriesOf([frame], throwing)
  assert(thrown?.kind === 'unreadable')
  assert.match(thrown.error, /on purpose/)
  const torn = { ...frame, frame: frame.frame.slice(0, 80) }
  const damaged = { ...frame, damage: 'the checksum of segment 3 at 4096 is wrong' }
  assert.deepEqual(
    entriesOf([torn, damaged], recognise).map((entry) => [entry.kind, entry.first, entry.last]),
    [
      ['unreadable', 1, 1],
      ['unreadable', 1, 1],
    ],
  )
})

type Options = Parameters<typeof encodeFrame>[0]['options']

function sealed(first: number, requests: readonly (readonly Buffer[])[], options: Options): StoredFrame {
  const bodies = requests.flat()
  const columns = {
    receivedAt: requests.map((_, at) => 1_000 + at),
    counts: requests.map(({ length }) => length),
    lengths: bodies.map(({ length }) => length),
    options,
  }
  const frame = encodeFrame(columns, Buffer.concat(bodies))
  const idPrefix = Buffer.from('01930000000070008000', 'hex')
  sealFrame(frame, { first, life: 1, committedAt: 5_000, idPrefix, leads: true }, () => 0)
  return { frame, first, last: first + bodies.length - 1 }
}

function given() {
  const clock = new ManualClock()
  const state = { applied: 0 }
  const journal = {
    progress: () => ({ applied: state.applied, released: 0, backlog: 0 }),
  }
  const shared = new SharedProgress(createProgressMemory())
  const published = createApplyProgress(shared, journal, clock)
  published.publish()
  return { clock, state, shared, published }
}

test('who waits for an incident is refused when that takes too long', async () => {
  const { clock, shared, published } = given()
  shared.setCommitted(9)
  const waiting = published.reached(5)
  clock.advance(60_000)
  await assert.rejects(waiting, { code: 'ask_timeout' })
  await published.reached(10)
})

test('a read waits for what was committed before it, but neither long nor for many', async () => {
  const { clock, state, shared, published } = given()
  let isAnswered = false
  const read = () => {
    isAnswered = false
    return published.soon().then(() => {
      isAnswered = true
    })
  }
  shared.setCommitted(2)
  const waiting = read()
  state.applied = 1
  published.publish()
  await Promise.resolve()
  assert.equal(isAnswered, false)
  shared.setCommitted(3)
  state.applied = 2
  published.publish()
  await waiting
  const late = read()
  clock.advance(300)
  await late
  shared.setCommitted(100_000)
  await read()
})
