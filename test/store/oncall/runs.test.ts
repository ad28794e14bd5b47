import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileForTests, silenceOf } from '../noise/silences/rig.ts'
import { escalating, MINUTE, OncallRig, rulesOf } from './rig.ts'

test('a problem asks the first person by chat, by mail after two minutes, and the second person after eight', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  assert.deepEqual(rig.told(), ['person:ada:1: disk'])
  assert.deepEqual(rig.pass(1), [])
  assert.deepEqual(rig.pass(1), ['person:ada:2: disk'])
  assert.deepEqual(rig.pass(5), [])
  assert.deepEqual(rig.pass(1), ['person:ben:1: disk'])
  assert.deepEqual(rig.pass(2), ['person:ben:2: disk'])
})

test('after all rounds nobody is asked, and a notice says so once', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  const told = [...rig.told(), ...rig.pass(60)]
  assert.equal(told.filter((line) => line.startsWith('person:ada:1')).length, 2)
  assert.equal(told.filter((line) => line === 'notice').length, 1)
  assert.equal(rig.runs()[0]?.phase, 'exhausted')
})

test('an acknowledgement ends the asking, and those who were asked hear who has it', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.told()
  rig.pass(9)
  const [run] = rig.runs()
  rig.store.problems.acknowledge(run?.problem ?? 0, 'Ben')
  assert.deepEqual(rig.told(), ['person:ada:1: ✅ Ben has it: disk', 'person:ada:2: ✅ Ben has it: disk'])
  assert.deepEqual(rig.pass(60), [])
  assert.deepEqual([rig.runs()[0]?.phase, rig.runs()[0]?.acked_by], ['acknowledged', 'Ben'])
})

test('an acknowledgement by a token ends no asking, and a person can still take the problem', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.told()
  rig.store.problems.acknowledgeOnly(rig.runs()[0]?.problem ?? 0, 'mcp:ops')
  assert.deepEqual(rig.pass(2), ['person:ada:2: disk'])
  rig.fire('disk')
  assert.deepEqual(rig.pass(6), ['person:ben:1: disk'])
  assert.deepEqual([rig.runs()[0]?.phase, rig.runs()[0]?.acked_by], ['asking', null])
  rig.store.problems.acknowledge(rig.runs()[0]?.problem ?? 0, 'Ben')
  assert.deepEqual([rig.runs()[0]?.phase, rig.runs()[0]?.acked_by], ['acknowledged', 'Ben'])
})

test('what was planned and not sent is not sent any more after an acknowledgement', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.store.problems.acknowledge(rig.runs()[0]?.problem ?? 0, 'Ada Lovelace')
  assert.deepEqual(rig.told(), [])
  assert.deepEqual(
    rig.runs()[0]?.pages.map(({ state }) => state),
    ['skipped', 'skipped'],
  )
})

test('a person who is asked for many problems gets one message about all of them', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  assert.deepEqual(rig.told(), ['person:ada:1: disk'])
  for (const name of ['cpu', 'memory', 'net']) rig.fire(name)
  assert.deepEqual(rig.told(), [])
  assert.deepEqual(rig.pass(1), ['person:ada:1: cpu, memory, net'])
})

test('the end of a problem ends its run', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.told()
  rig.fire('disk', { status: 'resolved' })
  assert.deepEqual(rig.pass(30), [])
  assert.deepEqual([rig.runs()[0]?.phase, rig.runs()[0]?.ended_by], ['ended', 'resolved'])
})

test('a dead message brings the next way of the person forward, and dead ways bring the next step', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  assert.deepEqual(rig.told('dead'), ['person:ada:1: disk'])
  assert.deepEqual(rig.told('dead'), ['person:ada:2: disk'])
  rig.turn({})
  assert.deepEqual(rig.told(), ['person:ben:1: disk'])
})

test('a dead message to the channel of a step without people brings the next step, beside people it does not', (t) => {
  const channel = { kind: 'channel', channel: 'chatws' } as const
  const [ada, ben] = ['ada', 'ben'].map((name) => ({ kind: 'person' as const, name }))
  for (const notify of [[channel], [channel, ada ?? assert.fail()]]) {
    const steps = [
      { afterMs: 0, notify },
      { afterMs: 8 * MINUTE, notify: [ben ?? assert.fail()] },
    ]
    const rig = new OncallRig(t, rulesOf({ steps }))
    rig.fire('disk')
    const { dispatches } = rig.claimAll(['chatws'])
    for (const dispatch of dispatches)
      rig.settle(dispatch, dispatch.target ? { state: 'sent' } : { state: 'dead', reason: 'gone' })
    rig.turn({})
    rig.turn({})
    assert.deepEqual(rig.told(), notify.length === 1 ? ['person:ben:1: disk'] : [])
  }
})

test('a message that is not sent within 20 seconds brings the next way forward', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.claimAll(['chatws'])
  rig.now += 21_000
  rig.turn({})
  assert.deepEqual(rig.told(), ['person:ada:2: disk'])
})

test('after two hours down one person is asked, late, and the next has the full time', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.told()
  rig.now += 128 * MINUTE
  rig.reopen()
  rig.turn({})
  assert.deepEqual(rig.told(), ['person:ben:1: disk, late by 120 min', 'person:ada:2: disk'])
  assert.deepEqual(rig.pass(9), ['person:ben:2: disk, late by 120 min'])
})

test('a louder incident asks again although the problem is acknowledged', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk', { severity: 'warning' })
  rig.told()
  rig.store.problems.acknowledge(rig.runs()[0]?.problem ?? 0, 'Ben')
  rig.told()
  rig.pass(3)
  rig.fire('disk', { severity: 'critical' })
  assert.deepEqual(rig.told(), ['person:ada:1: disk'])
})

test('retention takes neither the run nor what its link names', (t) => {
  const rig = new OncallRig(t, rulesOf(), { maxIncidents: 5 })
  rig.fire('disk')
  rig.told()
  for (let nth = 0; nth < 600; nth++) rig.commit({ drafts: [{ ...rig.incidentOf('other'), status: 'resolved' }] })
  rig.store.maintenance.prune(1_000)
  const message = Number(rig.runs()[0]?.pages.find(({ told_at }) => told_at !== null) && rig.messages()[0])
  assert.equal(rig.store.oncallPages?.view(message)?.person, 'Ada Lovelace')
  const { pressed } = rig.store.oncallPages?.press(message, 'acknowledge') ?? {}
  assert.equal(pressed?.kind, 'done')
  assert.deepEqual(rig.runs()[0]?.acked_by, 'Ada Lovelace')
  assert.deepEqual(rig.pass(30), [])
})

test('a person who cannot brings the next step', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.told()
  const [message = 0] = rig.messages()
  assert.equal(rig.store.oncallPages?.press(message, 'decline').pressed.kind, 'done')
  assert.equal(rig.store.oncallPages?.press(message, 'decline').pressed.kind, 'already')
  rig.turn({})
  assert.deepEqual(rig.told(), ['person:ben:1: disk'])
})

test('a run whose people are all gone goes on with the first step of the escalation in force', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.told()
  rig.pass(5)
  const cleo = rulesOf().people.get('ada')
  const steps = [{ afterMs: 0, notify: [{ kind: 'person', name: 'cleo' }] as const }]
  rig.reopen(escalating(rulesOf({ steps }, { people: new Map(cleo && [['cleo', cleo]]) })))
  assert.deepEqual(rig.pass(2), [])
  assert.deepEqual(rig.pass(1), ['person:ada:1: disk'])
  assert.equal(rig.runs()[0]?.pages.at(-1)?.person, 'cleo')
})

test('a provider that a step asks gets the key that the request chose, and hears of the end', (t) => {
  const provider = rulesOf({ steps: [{ afterMs: 0, notify: [{ kind: 'provider' }] }], repeat: 0 })
  const rig = new OncallRig(t, provider, {
    decide: ({ status }) => ({
      ...{ destinations: [], priority: 'normal', rules: [] },
      ...(status === 'firing' && { page: { waitMs: 0, escalation: 'office', target: 'boss' } }),
    }),
  })
  rig.fire('disk')
  rig.turn({})
  const signals = () =>
    rig.claimAll(['oncall']).dispatches.map((dispatch) => {
      rig.settle(dispatch, { state: 'sent' })
      return dispatch.kind === 'page' && `${dispatch.signal} ${dispatch.target}`
    })
  assert.deepEqual(signals(), ['trigger boss'])
  rig.fire('disk', { status: 'resolved' })
  assert.deepEqual(signals(), ['resolve boss'])
})

test('a silence holds a run, which asks with its full wait after the silence', (t) => {
  const silences = { compile: compileForTests, configured: [] }
  const rig = new OncallRig(t, rulesOf(), { silences })
  rig.fire('disk')
  rig.told()
  const settings = { ...silenceOf(), conditions: [{ field: 'service' as const, values: ['checkout'], where: '' }] }
  const { silence } = rig.store.silences.add(settings, true)
  rig.fire('disk')
  assert.deepEqual(rig.pass(15), [])
  rig.store.silences.end(silence.id, 'Ben')
  assert.deepEqual(rig.pass(7), [])
  assert.deepEqual(rig.pass(2), ['person:ben:1: disk'])
})

test('who was asked earlier cannot cut the time of the person who is asked now', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.told()
  const [message = 0] = rig.messages()
  rig.pass(8)
  assert.equal(rig.store.oncallPages?.press(message, 'decline').pressed.kind, 'already')
  assert.equal(rig.store.oncallPages?.press(message, 'acknowledge').pressed.kind, 'done')
})

for (const answer of ['acknowledged', 'not answered'] as const)
  test(`a problem that was ${answer} and that quiet ended asks anew when it fires again`, (t) => {
    const rig = new OncallRig(t)
    rig.fire('disk')
    rig.told()
    if (answer === 'acknowledged') rig.store.problems.acknowledge(rig.runs()[0]?.problem ?? 0, 'Ben')
    rig.pass(90)
    rig.fire('disk')
    assert.deepEqual(rig.told(), ['person:ada:1: disk'])
    assert.deepEqual(
      rig.runs().map(({ phase }) => phase),
      ['asking', 'ended'],
    )
  })

test('who took a problem that quiet ended meanwhile is not asked again', (t) => {
  const rig = new OncallRig(t, rulesOf({ ackForMs: 120 * MINUTE }))
  rig.fire('disk')
  rig.told()
  rig.store.problems.acknowledge(rig.runs()[0]?.problem ?? 0, 'Ben')
  rig.told()
  assert.deepEqual(rig.pass(130), [])
  assert.equal(rig.runs()[0]?.phase, 'ended')
})

test('the counts of steps, their lateness and acknowledgements are news of a turn; unanswered runs and dead ways are counted', (t) => {
  const rig = new OncallRig(t, rulesOf({ repeat: 0 }))
  const news = () => rig.turn({}).runs
  rig.fire('disk')
  rig.now += 70_000
  rig.store.problems.acknowledge(rig.runs()[0]?.problem ?? 0, 'Ben')
  assert.deepEqual(news(), [{ kind: 'acknowledged', tookMs: 70_000 }])

  rig.fire('cpu')
  const state = () => rig.store.oncallRuns?.state()
  assert.equal(state()?.waysFailing, 0)
  rig.told('dead')
  assert.equal(state()?.waysFailing, 1)
  rig.now += 9 * MINUTE
  assert.deepEqual(news(), [{ kind: 'asked', lateMs: MINUTE }])
  rig.pass(30)
  assert.deepEqual(state()?.unanswered, new Map([['office', 1]]))
  assert.equal(state()?.waysFailing, 1)
  rig.reopen()
  assert.equal(state()?.waysFailing, 1)
  rig.fire('net')
  rig.pass(1)
  assert.equal(state()?.waysFailing, 0)
})

test('runs that sleep because the configuration has no escalations any more are counted', (t) => {
  const rig = new OncallRig(t)
  rig.fire('disk')
  rig.reopen(Object.fromEntries(['escalations', 'escalationPart'].map((key) => [key, undefined])))
  assert.equal(rig.store.oncallRuns, undefined)
  assert.equal(rig.store.status.openRuns(), 1)
})
