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
