import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IntakeAnswer } from '../../../src/http/contract.ts'
import { bodiesOf, idOf, MAX_INFLIGHT, setup } from './setup.ts'

const REFUSED: IntakeAnswer = { kind: 'refused', code: 'storage_down' }
const created = (number: number, count?: number): IntakeAnswer => ({ kind: 'created', id: idOf(number), count })
/** An object of this many bytes. */
const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

test('the requests of a turn leave as one frame, and get the ids of their incidents', () => {
  const { ask, pass, commitSent, counted } = setup()
  const answers = [
    ask('{"a":1}'),
    ask(' [{"b":1} , {"b":2}]'),
    ask('[{}]'),
    ask('{"c":1}\n\n{"c":2}\r\n', { format: 'ndjson', receivedAt: 77 }),
    ask('{"d":1}'),
  ]
  pass()
  const frames = commitSent()
  assert.deepEqual(bodiesOf(frames), [['{"a":1}', '{"b":1}', '{"b":2}', '{}', '{"c":1}', '{"c":2}', '{"d":1}']])
  assert.deepEqual(
    frames[0]?.map(({ receivedAt, incidents }) => [receivedAt, incidents.length]),
    [
      [1, 1],
      [1, 2],
      [1, 1],
      [77, 2],
      [1, 1],
    ],
  )
  assert.deepEqual(answers, [[created(1)], [created(2, 2)], [created(4, 1)], [created(5, 2)], [created(7)]])
  assert.deepEqual(counted.batches, [7])
})

test('requests with a key leave in frames of their own, with what few requests have', () => {
  const { ask, pass, commitSent } = setup()
  const origin = { message_id: 'm', topic_arn: 'arn', subject: null, published_at: '', attributes: {} }
  ask('{"a":1}')
  ask('{"k":1}', { key: 'one' })
  ask('{"b":1}', { overrides: { oncallEnable: false } })
  ask('{"k":2}', { key: 'sns two', source: 'topic', origin })
  pass()
  const frames = commitSent()
  assert.deepEqual(bodiesOf(frames), [
    ['{"a":1}', '{"b":1}'],
    ['{"k":1}', '{"k":2}'],
  ])
  const options = frames.map((requests) => requests.map(({ incidents: _, receivedAt: __, ...others }) => others))
  assert.deepEqual(options, [
    [{}, { overrides: { oncallEnable: false } }],
    [{ key: 'one' }, { key: 'sns two', source: 'topic', origin }],
  ])
})

test('duplicates and refusals get their answers, and the ids of the others count on', () => {
  const { ask, pass, commitSent, counted, ingest } = setup()
  const answers = ['{}', '[{},{}]', '{}', '{}', '{}'].map((body) => ask(body, { key: 'k' }))
  pass()
  commitSent(() => [
    { kind: 'created' },
    { kind: 'duplicate', id: 'earlier' },
    { kind: 'created' },
    { kind: 'refused', code: 'backlog_full' },
  ])
  assert.deepEqual(answers.flat(), [
    created(1),
    { kind: 'duplicate', id: 'earlier' },
    created(2),
    { kind: 'refused', code: 'backlog_full' },
    { kind: 'refused', code: 'internal' },
  ])
  assert.deepEqual(counted, { accepted: ['webhook 1', 'webhook 1'], duplicates: 1, batches: [2] })
  assert.equal(ingest.inflight, 0)
})

test('a frame leaves before the end of the turn when it has 32 requests or 64 KiB', () => {
  const many = setup()
  for (let n = 0; n < 31; n++) many.ask('{}')
  assert.equal(many.sent(), 0)
  many.ask('{}')
  assert.deepEqual([many.sent(), many.flushed.times], [1, 1])
  const large = setup()
  large.ask(sized(60_000))
  assert.equal(large.sent(), 0)
  large.ask(sized(6_000))
  assert.deepEqual([large.sent(), large.flushed.times], [1, 1])
})

test('while the journal takes no frame, requests gather in few frames, which leave in the order of arrival', () => {
  const { ask, pass, commitSent, sent } = setup({ window: 2 })
  const bodies = Array.from({ length: 700 }, (_, n) => `{"n":${n},"x":"${'x'.repeat(1_000)}"}`)
  const answers = bodies.map((body, n) => {
    const own = ask(body)
    if (n % 10 === 0) pass()
    return own
  })
  pass()
  assert.equal(sent(), 2)
  const frames: string[][] = []
  while (sent() > 0) frames.push(...bodiesOf(commitSent()))
  assert.deepEqual(frames.flat(), bodies)
  assert.ok(frames.length < 10, `${frames.length} frames`)
  assert.deepEqual(
    answers.flat(),
    bodies.map((_, n) => created(n + 1)),
  )
})

test('requests without a key do not wait for those whose keys are looked up', () => {
  const { ask, pass, commitSent, commitPlain, sent, ingest } = setup({ window: 2 })
  const withKeys = [1, 2, 3, 4].map((n) => {
    const answers = ask(sized(200_000), { key: `${n}`, receivedAt: n })
    pass()
    return answers
  })
  assert.equal(sent(), 2)
  for (let n = 1; n <= 10; n++) {
    const answers = ask('{}')
    pass()
    commitPlain()
    assert.deepEqual(answers, [created(n)])
  }
  assert.deepEqual(withKeys.flat(), [])
  const order: number[][] = []
  while (ingest.inflight > 0)
    order.push(...commitSent().map((requests) => requests.map(({ receivedAt }) => receivedAt)))
  assert.deepEqual(order, [[1], [2], [3], [4]])
})

test('a body larger than a frame has a frame of its own', () => {
  const { ask, pass, commitSent, submit } = setup({ window: 1 })
  ask('{"first":1}')
  pass()
  for (const bytes of [1_000, 3_000_000, 1_000]) ask(sized(bytes))
  assert.equal(submit(`${sized(3_000_000)}x`), 'invalid')
  pass()
  const sizes: number[][] = []
  for (let frame = commitSent(); frame.length > 0; frame = commitSent())
    sizes.push(...bodiesOf(frame).map((bodies) => bodies.map(({ length }) => length)))
  assert.deepEqual(sizes, [[11], [1_000], [3_000_000], [1_000]])
})

test('more requests than may wait are refused, and taken again after an answer', () => {
  const { ask, submit, pass, commitSent, ingest } = setup({ window: 16 })
  for (let n = 0; n < MAX_INFLIGHT; n++) ask('{}')
  assert.equal(submit('{}'), 'ingest_full')
  assert.equal(submit('{}'), 'ingest_full')
  assert.deepEqual([ingest.inflight, ingest.refused], [MAX_INFLIGHT, 2])
  pass()
  commitSent()
  assert.equal(submit('{}'), 'taken')
})

test('requests with a key leave half of the room to those without', () => {
  const { submit, pass, commitSent, ingest } = setup({ window: 64 })
  const withKey = (n: number, bytes = 8) => submit(sized(bytes), { key: `key ${n}` })
  for (let n = 0; n < MAX_INFLIGHT / 2; n++) assert.equal(withKey(n), 'taken')
  assert.equal(withKey(-1), 'ingest_full')
  for (let n = 0; n < MAX_INFLIGHT / 2; n++) assert.equal(submit('{}'), 'taken')
  assert.equal(submit('{}'), 'ingest_full')
  pass()
  while (ingest.inflight > 0) commitSent()
  assert.equal(withKey(1, 30_000_000), 'taken')
  assert.equal(withKey(2, 10_000_000), 'ingest_full')
  assert.equal(submit(sized(30_000_000)), 'taken')
})

test('one request is taken however large it is', () => {
  const { submit, pass, commitSent, ingest } = setup()
  assert.equal(submit(sized(65 * 1024 * 1024)), 'taken')
  assert.equal(submit('{}'), 'ingest_full')
  pass()
  commitSent()
  assert.equal(ingest.inflight, 0)
  assert.equal(submit('{}'), 'taken')
})

test('an answer that throws keeps no other request from its answer', () => {
  const { submit, ask, pass, commitSent, failures, ingest } = setup()
  submit('{}', {
    answer() {
      throw new Error('the socket is gone')
    },
  })
  const answers = ask('{}')
  pass()
  commitSent()
  assert.deepEqual(answers, [created(2)])
  assert.equal(failures.length, 1)
  assert.equal(ingest.inflight, 0)
})

test('when the journal is lost, each waiting request is refused once', () => {
  const { ask, submit, pass, offer, commitSent, journal, ingest } = setup({ window: 1 })
  const answers = [ask('{}'), ask('[{},{}]'), ask('{}', { key: 'k' })]
  pass()
  const late = ask('{}')
  journal.up = false
  assert.equal(submit('{}'), 'storage_down')
  offer({ kind: 'peer', up: false })
  pass()
  commitSent()
  assert.deepEqual([...answers, late].flat(), Array(4).fill(REFUSED))
  assert.equal(ingest.inflight, 0)
  journal.up = true
  const next = ask('{"next":1}')
  pass()
  assert.deepEqual(bodiesOf(commitSent()), [['{"next":1}']])
  assert.equal(next[0]?.kind, 'created')
})

test('an incident of the agent is committed under its key, and keeps its place until the answer', () => {
  const { offer, pass, commitSent, raised, occupied } = setup()
  offer({ kind: 'raise', key: 'agent 1', content: Buffer.from('{"kind":"spike"}'), receivedAt: 5 })
  pass()
  assert.equal(occupied(), 1)
  const [[request] = []] = commitSent()
  assert.deepEqual([request?.key, request?.source, request?.receivedAt], ['agent 1', 'agent', 5])
  assert.deepEqual(raised, [{ kind: 'raised', key: 'agent 1', answer: created(1) }])
  assert.equal(occupied(), 0)
})

test('an incident of the agent is refused while the journal is lost, or when it is no object', () => {
  const { offer, pass, raised, occupied, journal } = setup()
  offer({ kind: 'raise', key: 'bad', content: Buffer.from('[1]'), receivedAt: 5 })
  pass()
  journal.up = false
  offer({ kind: 'raise', key: 'late', content: Buffer.from('{}'), receivedAt: 5 })
  pass()
  assert.deepEqual(raised, [
    { kind: 'raised', key: 'bad', answer: { kind: 'refused', code: 'internal' } },
    { kind: 'raised', key: 'late', answer: REFUSED },
  ])
  assert.equal(occupied(), 0)
})

test('a request whose outcome is not known in time is refused, and what was sent is counted when it is on disk', () => {
  const { ask, clock, pass, commitSent, counted, ingest } = setup({ window: 1, answerWithinMs: 5_000 })
  const sentAnswers = ask('{"n":1}')
  pass()
  clock.advance(4_000)
  const keptBack = [ask('{"n":2}'), ask('{"n":3}')]
  pass()
  clock.advance(999)
  assert.deepEqual(sentAnswers, [])
  clock.advance(1)
  assert.deepEqual([sentAnswers, keptBack.flat()], [[REFUSED], []])
  clock.advance(4_000)
  assert.deepEqual(keptBack, [[REFUSED], [REFUSED]])
  assert.equal(ingest.inflight, 1, 'the journal still has it')
  assert.deepEqual(bodiesOf(commitSent()), [['{"n":1}']])
  assert.deepEqual([sentAnswers, counted.accepted, ingest.inflight], [[REFUSED], ['webhook 1'], 0])
  const next = ask('{"n":4}')
  pass()
  assert.deepEqual(bodiesOf(commitSent()), [['{"n":4}']])
  clock.advance(10_000)
  assert.deepEqual(next, [created(2)])
})

test('a request that an answer leads to does not put off the refusal of those that wait already', () => {
  const { ask, clock, pass } = setup({ window: 2, answerWithinMs: 5_000 })
  const next: IntakeAnswer[][] = []
  ask('{"n":1}', { answer: () => next.push(ask('{"n":3}')) })
  pass()
  clock.advance(4_000)
  const second = ask('{"n":2}')
  pass()
  clock.advance(1_000)
  assert.deepEqual([next, second], [[[]], []])
  clock.advance(4_000)
  assert.deepEqual([next, second], [[[]], [REFUSED]])
  clock.advance(1_000)
  assert.deepEqual(next, [[REFUSED]])
})
