import assert from 'node:assert/strict'
import { test } from 'node:test'
import { one, pair, supervise } from './support/threads.ts'

for (const { how, ask: kind, options, expected } of [
  { how: 'exits', ask: 'exit', expected: undefined },
  { how: 'throws asynchronously', ask: 'throw later', expected: /thrown later/ },
  { how: 'leaves a rejection unhandled', ask: 'reject later', expected: /rejected later/ },
  {
    how: 'runs out of memory',
    ask: 'run out of memory',
    options: { resourceLimits: { maxOldGenerationSizeMb: 24 } },
    expected: /memory/,
  },
]) {
  test(`a thread that ${how} is started again; what was asked of it rejects with peer_down`, async (t) => {
    const { supervisor, errors, journal, ask, revive } = supervise(t, [{ ...one, ...(options ? { options } : {}) }])
    await supervisor.start()
    const waiting = assert.rejects(ask('one', 'hang'), { code: 'peer_down' })
    await assert.rejects(ask('one', kind), { code: 'peer_down' })
    await waiting
    await assert.rejects(ask('one', 'ping'), { code: 'peer_down' })
    await revive('one')
    assert.deepEqual(journal.written, ['one up 0', 'one down 100', 'one up 1'])
    if (expected) assert.match(String(errors[0]), expected)
    else assert.equal(errors[0], undefined)
    assert.equal(await ask('one', 'ping'), 'pong')
  })
}

test('main’s edge to a thread that died is down, then up with a full window', async (t) => {
  const { supervisor, link, ask, revive } = supervise(t, [{ ...one, boot: () => ({ peers: ['main'], hold: true }) }])
  const heard: string[] = []
  const edge = link('one').outlet<{ kind: string; n: number }>('inbox', 4)
  link('one').watch((up) => heard.push(`${up} ${edge.room}`))
  await supervisor.start()
  for (const n of [1, 2, 3]) edge.tell({ kind: 'numbered', n })
  assert.deepEqual(await ask('one', 'received', { n: 3 }), [1, 2, 3])
  assert.equal(edge.room, 1)
  await assert.rejects(ask('one', 'exit'))
  assert.equal(edge.tell({ kind: 'numbered', n: 4 }), false)
  await revive('one')
  assert.deepEqual(heard, ['true 4', 'false 0', 'true 4'])
  edge.tell({ kind: 'numbered', n: 5 })
  assert.deepEqual(await ask('one', 'received', { n: 1 }), [5])
})

test('edges between workers are attached again, whichever side dies', async (t) => {
  const { supervisor, ask, revive } = supervise(t, pair)
  await supervisor.start()
  for (const [dies, stays] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    await ask(stays, 'tell', { to: dies, n: 1 })
    await assert.rejects(ask(dies, 'exit'))
    await revive(dies)
    assert.equal(await ask(stays, 'room', { to: dies }), 4)
    assert.equal(await ask(dies, 'room', { to: stays }), 4)
    await ask(stays, 'tell', { to: dies, n: 2 })
    assert.deepEqual(await ask(dies, 'received', { n: 1 }), [2])
    assert.equal(await ask(stays, 'room when idle', { to: dies }), 4)
  }
})

test('two threads that die together end up connected', async (t) => {
  const { supervisor, clock, journal, ask } = supervise(t, pair)
  await supervisor.start()
  await Promise.all([assert.rejects(ask('one', 'exit')), assert.rejects(ask('two', 'exit'))])
  await Promise.all([journal.read('one down 100'), journal.read('two down 100')])
  ;(await clock.timer(100))()
  ;(await clock.timer(100))()
  await Promise.all([journal.read('one up 1'), journal.read('two up 1')])
  for (const [from, to] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    assert.equal(await ask(from, 'tell', { to, n: 7 }), true)
    assert.deepEqual(await ask(to, 'received', { n: 1 }), [7])
    assert.equal(await ask(from, 'room when idle', { to }), 4)
  }
})

test('a thread that keeps failing to start is retried with a growing backoff, which starts again after a healthy run', async (t) => {
  const { supervisor, clock, journal, errors, ask } = supervise(t, [
    {
      ...one,
      boot: (incarnation) => (incarnation > 1 && incarnation < 5 ? { fail: `incarnation ${incarnation}` } : {}),
    },
  ])
  clock.passes(3_600_000)
  await supervisor.start()
  await assert.rejects(ask('one', 'exit'))
  for (const delayMs of [100, 200, 400, 800]) {
    clock.passes(60_000)
    ;(await clock.timer(delayMs))()
  }
  await journal.read('one up 4')
  assert.deepEqual(
    errors.map((error) => error && `${error.message}`),
    [undefined, 'incarnation 2', 'incarnation 3', 'incarnation 4'],
  )
  clock.passes(31_000)
  await assert.rejects(ask('one', 'exit'))
  await journal.read('one down 100')
  assert.equal(journal.written.filter((line) => line === 'one down 100').length, 2)
})

test('a message for an unknown actor restarts the receiving thread', async (t) => {
  const { supervisor, ask, journal, errors } = supervise(t, pair)
  await supervisor.start()
  await ask('one', 'tell unknown actor', { to: 'two', n: 1 })
  await journal.read('two down 100')
  assert.match(String(errors[0]), /a message from one for nobody found no slot/)
})

test('a thread that does not take its channel is terminated and restarted', async (t) => {
  const { supervisor, clock, errors, ask, revive } = supervise(t, [
    { ...one, boot: (incarnation) => ({ blockAfterReady: incarnation === 1 }) },
  ])
  const started = supervisor.start()
  ;(await clock.timer(10_000))()
  await started
  await revive('one')
  assert.match(String(errors[0]), /did not answer connect/)
  assert.equal(await ask('one', 'ping'), 'pong')
})
