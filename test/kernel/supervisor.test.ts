import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { RemoteError } from '../../src/kernel/error-transfer.ts'
import { one, pair, supervise, two } from './support/threads.ts'

test('plans with an unknown peer, or with one name twice, are refused', (t) => {
  assert.throws(() => supervise(t, [{ ...one, peers: ['nobody'] }]), /no thread is called nobody/)
  assert.throws(() => supervise(t, [one, one]), /two threads are called one/)
})

test('threads start, answer, and stop', async (t) => {
  const { supervisor, journal, ask, states, alive, clock } = supervise(t, pair)
  await supervisor.start()
  assert.deepEqual(journal.written.toSorted(), ['one up 0', 'two up 0'])
  assert.equal(await ask('one', 'ping'), 'pong')
  const { actors, links, eventLoop } = await supervisor.status('one', 60_000)
  assert.equal(actors[0]?.name, 'inbox')
  assert.deepEqual(Object.keys(links).sort(), ['main', 'two'])
  assert.ok(eventLoop.utilization >= 0 && eventLoop.utilization <= 1 && eventLoop.lagMs.max >= 0)
  await Promise.all([supervisor.stop('one', 60_000), supervisor.stop('two', 60_000)])
  assert.deepEqual(states(), ['one stopped', 'two stopped'])
  assert.equal(alive(), 0)
  assert.deepEqual(clock.delaysMs, [])
})

for (const { what, spec, expected } of [
  {
    what: 'cannot build its actors',
    spec: { ...two, boot: () => ({ fail: 'no disk' }) },
    expected: { name: 'Requested', message: 'no disk', code: 'storage_down' },
  },
  {
    what: 'throws while it is loaded',
    spec: { ...two, fixture: 'throws-at-import.ts' },
    expected: { message: 'thrown at import', code: 'config_invalid' },
  },
  { what: 'exits at once', spec: { ...two, fixture: 'exits-at-once.ts' }, expected: { message: /exited with 3/ } },
  { what: 'does not exist', spec: { ...two, fixture: 'missing.ts' }, expected: { message: /missing\.ts/ } },
  {
    what: 'is to boot with what cannot cross',
    spec: { ...two, boot: () => ({ run() {} }) },
    expected: { name: 'DataCloneError' },
  },
]) {
  test(`a start with a thread that ${what} rejects with its own error and leaves no worker`, async (t) => {
    const { supervisor, states, alive, clock } = supervise(t, [one, spec])
    await assert.rejects(supervisor.start(), expected)
    assert.deepEqual(states(), ['one stopped', 'two stopped'])
    assert.equal(alive(), 0)
    assert.deepEqual(clock.delaysMs, [])
  })
}

test('a thread that is not ready at the deadline of its start is given up', async (t) => {
  const { supervisor, alive, clock } = supervise(t, [{ ...one, boot: () => ({ hang: true }) }])
  const started = assert.rejects(supervisor.start(), /not ready within 120000 ms/)
  ;(await clock.timer(120_000))()
  await started
  assert.equal(alive(), 0)
})

test('an ask without an answer rejects with ask_timeout, and the thread goes on', async (t) => {
  const { supervisor, clock, ask } = supervise(t, [one])
  await supervisor.start()
  const asked = assert.rejects(supervisor.ask('one', 'actor', { kind: 'hang' }, 321), { code: 'ask_timeout' })
  ;(await clock.timer(321))()
  await asked
  assert.equal(await ask('one', 'ping'), 'pong')
})

test('an actor’s error keeps its name and code; questions and answers that cannot be posted are errors', async (t) => {
  const { supervisor, clock, ask } = supervise(t, [one])
  await supervisor.start()
  await assert.rejects(ask('one', 'fail'), (error) => {
    assert.ok(error instanceof RemoteError)
    assert.deepEqual([error.name, error.message, error.code], ['Requested', 'requested', 'storage_down'])
    return true
  })
  await assert.rejects(ask('one', 'answer unsendable'), { name: 'TypeError' })
  await assert.rejects(ask('one', 'ping', { run() {} }), { name: 'DataCloneError' })
  assert.deepEqual(clock.delaysMs, [])
  assert.throws(() => ask('nobody', 'ping'), /no thread is called nobody/)
})

test('a message that cannot be posted restarts no thread and returns its credit', async (t) => {
  const { supervisor, ask, journal } = supervise(
    t,
    pair.map((spec) => ({ ...spec, options: { stderr: true } })),
  )
  await supervisor.start()
  await ask('one', 'tell unsendable', { to: 'two', n: 1 })
  await ask('one', 'tell', { to: 'two', n: 2 })
  assert.deepEqual(await ask('two', 'received', { n: 1 }), [2])
  assert.equal(await ask('one', 'room when idle', { to: 'two' }), 4)
  assert.equal((await supervisor.status('one', 60_000)).links.two?.unsendable, 1)
  assert.deepEqual(journal.written.toSorted(), ['one up 0', 'two up 0'])
})

test('stopping a thread in its backoff cancels the backoff', async (t) => {
  const { supervisor, clock, journal, ask, states, alive } = supervise(t, [one])
  await supervisor.start()
  await assert.rejects(ask('one', 'exit'))
  await journal.read('one down 100')
  await supervisor.stop('one', 60_000)
  assert.deepEqual(clock.delaysMs, [])
  assert.deepEqual(states(), ['one stopped'])
  assert.equal(alive(), 0)
})

test('stopping a thread while it starts ends it and rejects the start', async (t) => {
  const { supervisor, clock, states, alive, journal } = supervise(t, [{ ...one, boot: () => ({ hang: true }) }])
  const started = assert.rejects(supervisor.start())
  await clock.timer(120_000)
  await supervisor.stop('one', 60_000)
  await started
  assert.deepEqual(states(), ['one stopped'])
  assert.deepEqual(journal.written, [])
  assert.equal(alive(), 0)
})

test('stopping a thread during its restart ends the restart', async (t) => {
  const { supervisor, clock, states, alive, ask } = supervise(t, [
    { ...one, boot: (incarnation) => ({ hang: incarnation > 1 }) },
  ])
  await supervisor.start()
  await assert.rejects(ask('one', 'exit'))
  ;(await clock.timer(100))()
  await clock.timer(120_000)
  await supervisor.stop('one', 60_000)
  assert.deepEqual(states(), ['one stopped'])
  assert.deepEqual(clock.delaysMs, [])
  assert.equal(alive(), 0)
})

test('stopping twice is stopping once, and asks under way reject', async (t) => {
  const { supervisor, ask, alive } = supervise(t, [one])
  await supervisor.start()
  const waiting = assert.rejects(ask('one', 'hang'), { code: 'peer_down' })
  await Promise.all([supervisor.stop('one', 60_000), supervisor.stop('one', 60_000)])
  await supervisor.stop('one', 60_000)
  await waiting
  await assert.rejects(ask('one', 'ping'), { code: 'peer_down' })
  assert.equal(alive(), 0)
})

for (const { fixture, code } of [
  { fixture: 'hangs-when-stopped.ts', code: 'ask_timeout' },
  { fixture: 'exits-when-stopped.ts', code: 'peer_down' },
]) {
  test(`a thread of ${fixture} is ended all the same, and stop rejects with ${code}`, async (t) => {
    const { supervisor, clock, states, alive } = supervise(t, [{ name: 'one', fixture }])
    await supervisor.start()
    const stopped = assert.rejects(supervisor.stop('one', 4_321), { code })
    const deadline = await clock.timer(4_321)
    if (code === 'ask_timeout') deadline()
    await stopped
    assert.deepEqual(states(), ['one stopped'])
    assert.equal(alive(), 0)
  })
}

test('a replaced thread gets the current boot settings, and its peers are connected to it', async (t) => {
  const { supervisor, ask, journal } = supervise(t, pair)
  await supervisor.start()
  await ask('one', 'tell', { to: 'two', n: 1 })
  await supervisor.replace('two', 60_000)
  assert.equal(await ask('one', 'room', { to: 'two' }), 4)
  await ask('one', 'tell', { to: 'two', n: 2 })
  assert.deepEqual(await ask('two', 'received', { n: 1 }), [2])
  assert.deepEqual(journal.written.toSorted(), ['one up 0', 'two up 0', 'two up 0'])
})

test('a replacement that cannot start rejects and is retried', async (t) => {
  const { supervisor, ask, revive } = supervise(t, [
    { ...one, boot: (incarnation) => (incarnation === 2 ? { fail: 'not now' } : {}) },
  ])
  await supervisor.start()
  await assert.rejects(supervisor.replace('one', 60_000), { message: 'not now', code: 'storage_down' })
  await revive('one')
  assert.equal(await ask('one', 'ping'), 'pong')
})

test('a thread that does not stop in time is replaced all the same', async (t) => {
  const { supervisor, clock, journal, ask } = supervise(t, [{ name: 'one', fixture: 'hangs-when-stopped.ts' }])
  await supervisor.start()
  const replaced = supervisor.replace('one', 4_321)
  ;(await clock.timer(4_321))()
  await replaced
  assert.deepEqual(journal.written, ['one up 0', 'one down 0', 'one up 0'])
  assert.equal(await ask('one', 'ping'), 'pong')
})

test('a thread that is replaced during its restart has one incarnation', async (t) => {
  const { supervisor, clock, alive, ask } = supervise(t, [
    { ...one, boot: (incarnation) => ({ hang: incarnation === 2 }) },
  ])
  await supervisor.start()
  await assert.rejects(ask('one', 'exit'))
  ;(await clock.timer(100))()
  await clock.timer(120_000)
  await supervisor.replace('one', 60_000)
  assert.equal(await ask('one', 'ping'), 'pong')
  assert.equal(alive(), 1)
  assert.deepEqual(clock.delaysMs, [])
})

test('the worker that was prepared for a stopped thread is the one that starts, with the settings of then', async (t) => {
  const { supervisor, ask, alive, states } = supervise(t, [{ ...one, boot: (incarnation) => ({ incarnation }) }, two])
  await supervisor.start((name) => name === 'two')
  supervisor.prepare('one')
  supervisor.prepare('one')
  supervisor.prepare('two')
  assert.deepEqual([alive(), states()], [2, ['one stopped', 'two up']])
  await supervisor.replace('one', 60_000)
  assert.deepEqual([alive(), states()], [2, ['one up', 'two up']])
  assert.equal(await ask('one', 'ping'), 'pong')
  await supervisor.stop('one', 60_000)
  supervisor.prepare('one')
  assert.equal(alive(), 2)
  await supervisor.stop('one', 60_000)
  assert.equal(alive(), 1)
})

test('a prepared worker that has exited is no hindrance to the start', async (t) => {
  const workers: Worker[] = []
  const created = (message: unknown) => workers.push((message as { worker: Worker }).worker)
  diagnostics.subscribe('worker_threads', created)
  t.after(() => diagnostics.unsubscribe('worker_threads', created))
  const { supervisor, ask } = supervise(t, [one])
  supervisor.prepare('one')
  await workers[0]?.terminate()
  await supervisor.start()
  assert.equal(await ask('one', 'ping'), 'pong')
  assert.equal(workers.length, 2)
})
