import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OncallPerson, Way } from '../../../src/policy/oncall/escalation.ts'
import { compileForTests } from '../noise/silences/rig.ts'
import { escalating, MINUTE, OncallRig, rulesOf } from './rig.ts'

const call: Way = { kind: 'gateway', gateway: 'phone', to: '+49', afterMs: 0 }
const ada: OncallPerson = { name: 'Ada', timeZone: 'UTC', ways: [call, { ...call, afterMs: 2 * MINUTE }] }
const called = () => rulesOf({}, { people: new Map([...rulesOf().people, ['ada', ada]]) })

/** Hands out what is due to the gateway, settles it as sent, and returns the id of the call. */
function callOf(rig: OncallRig): string {
  const [dispatch] = rig.claimAll(['oncall']).dispatches
  assert(dispatch?.kind === 'notice' && 'gateway' in dispatch)
  rig.settle(dispatch, { state: 'sent' })
  return dispatch.gateway.id
}

test('a call that was declined brings the next step once, however often the gateway reports it', (t) => {
  for (const detail of ['', 'busy']) {
    const rig = new OncallRig(t, called())
    rig.fire('disk')
    const report = { gateway: 'phone', id: callOf(rig), detail }
    for (const state of ['declined', 'delivered', 'declined', 'declined'] as const) {
      rig.store.oncallPages?.reported({ ...report, state })
      rig.turn({})
    }
    assert.deepEqual(rig.told(), ['person:ben:1: disk'])
    const pages = rig.runs()[0]?.pages.map(({ person, state, detail }) => [person, state, detail])
    assert.deepEqual(pages?.slice(0, 2), [
      ['ada', 'sent', detail === '' ? 'declined' : 'declined: busy'],
      ['ada', 'skipped', 'declined'],
    ])
    assert.equal(pages?.length, 4)
  }
})

test('a person whose channels are all off is no one to wait for', (t) => {
  const rig = new OncallRig(t)
  const off = (target: string): Way => ({ kind: 'channel', channel: 'ntfy', target, afterMs: 0 })
  const people = new Map([
    ...rulesOf().people,
    ['ada', { ...ada, ways: [off('person:ada:1'), off('person:ada:2')] }] as const,
  ])
  rig.reopen({ ...escalating(rulesOf({}, { people })), channels: ['chatws', 'email'] })
  rig.fire('disk')
  for (let turns = 0; turns < 3; turns++) rig.turn({})
  assert.deepEqual(rig.told(), ['person:ben:1: disk'])
})

test('a page whose channel is removed while it is with the sender is dead: the next step does not wait', (t) => {
  const way: Way = { kind: 'channel', channel: 'ntfy', target: 'person:ada:1', afterMs: 0 }
  const people = new Map([...rulesOf().people, ['ada', { ...ada, ways: [way] }] as const])
  const rig = new OncallRig(t, rulesOf({}, { people }), { channels: ['chatws', 'email', 'ntfy'] })
  rig.fire('disk')
  assert.equal(rig.claim('ntfy').length, 1)
  rig.reopen({ channels: ['chatws', 'email'] })
  rig.turn({})
  assert.deepEqual(
    rig
      .runs()[0]
      ?.pages.slice(0, 1)
      .map(({ state, detail }) => [state, detail]),
    [['dead', 'the channel is off']],
  )
  assert.deepEqual(rig.told(), ['person:ben:1: disk'])
})

test('a run that a silence holds goes on when the silence ends at a stop', (t) => {
  const rig = new OncallRig(t, rulesOf(), { silences: { compile: compileForTests, configured: [] } })
  const times = { startsAt: rig.now, endsAt: rig.now + 60 * MINUTE, untilResolved: false, owner: 'Bob', comment: '' }
  const conditions = [{ field: 'fingerprint' as const, values: ['custom:disk'], where: '' }]
  const { silence } = rig.store.silences.add({ name: 'patch', where: '', conditions, ...times } as never, true)
  rig.turn({})
  rig.fire('disk')
  rig.pass(2)
  assert.equal(rig.runs()[0]?.phase, 'held')
  rig.store.silences.end(silence.id, 'Bob')
  rig.reopen()
  assert.equal(rig.pass(3)[0]?.startsWith('person:ada:1: disk'), true)
})

test('who was asked for many problems gets one line when one press takes them all', (t) => {
  const rig = new OncallRig(t)
  for (const name of ['disk', 'cpu', 'net']) rig.fire(name)
  const told = [...rig.told(), ...rig.pass(11)]
  assert.equal(told.filter((line) => line.startsWith('person:ben:1')).length, 1)
  const message = rig.messages()[told.findIndex((line) => line.startsWith('person:ben:1'))] ?? 0
  assert.equal(rig.store.oncallPages?.press(message, 'acknowledge').pressed.kind, 'done')
  const lines = rig.told().map((line) => line.replace(/: [a-z]+,/, ','))
  assert.deepEqual(
    lines,
    [1, 2].map((way) => `person:ada:${way}: ✅ Ben has it, and 2 more problems`),
  )
})

test('a gateway may report of a call although a hundred later messages went out', (t) => {
  const rig = new OncallRig(t, called())
  rig.fire('disk')
  const id = callOf(rig)
  for (let nth = 0; nth < 130; nth++) {
    rig.fire(`later ${nth}`)
    rig.now += 3 * MINUTE
    for (const dispatch of rig.claimAll(['oncall', 'chatws', 'email']).dispatches)
      rig.settle(dispatch, { state: 'sent' })
  }
  rig.store.maintenance.prune(1_000)
  assert(rig.store.oncallPages?.reported({ gateway: 'phone', id, state: 'acknowledged', detail: '' }))
  assert.equal(rig.runs().find(({ title }) => title === 'disk')?.acked_by, 'Ada')
})

test('a step that waits for the end of quiet hours does not move with the clock', (t) => {
  const rig = new OncallRig(t)
  const quiet = { from: 0, until: 23 * 60, belowRank: 0 }
  rig.reopen(escalating(rulesOf({}, { people: new Map([['ada', { ...ada, quiet }]]) })))
  rig.fire('disk', { severity: 'warning' })
  rig.turn({})
  const end = rig.runs()[0]?.next_at
  rig.now += 8 * 60 * MINUTE
  rig.turn({ clockJumpMs: 8 * 60 * MINUTE })
  assert.deepEqual([end?.slice(11, 16), rig.runs()[0]?.next_at], ['23:00', end])
})
