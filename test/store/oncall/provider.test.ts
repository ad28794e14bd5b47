import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Target } from '../../../src/policy/oncall/escalation.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { compileForTests, silenceOf } from '../noise/silences/rig.ts'
import { MINUTE, OncallRig, rulesOf } from './rig.ts'

const decide: StoreOptions['decide'] = ({ status }) => ({
  destinations: [{ channel: 'chatws' }],
  priority: 'normal',
  rules: [],
  ...(status === 'firing' && { page: { waitMs: 0, escalation: 'office' } }),
})

/** Hands out pages of the provider and settles them; returns their signals. */
function paged(rig: OncallRig, verdict: 'sent' | 'dead' = 'sent'): string[] {
  return rig.claimAll(['oncall']).dispatches.map((dispatch) => {
    rig.settle(dispatch, verdict === 'sent' ? { state: 'sent' } : { state: 'dead', reason: 'no such key' })
    return dispatch.kind === 'page' ? `${dispatch.signal} ${dispatch.target ?? ''}`.trim() : dispatch.kind
  })
}

test('the end of a silence leaves the page of a problem with an escalation to that', (t) => {
  const silences = { compile: compileForTests, configured: [] }
  const rig = new OncallRig(t, rulesOf(), { silences, decide })
  const settings = { ...silenceOf(), conditions: [{ field: 'service' as const, values: ['checkout'], where: '' }] }
  const { silence } = rig.store.silences.add(settings, true)
  rig.fire('disk')
  assert.deepEqual([...rig.told(), ...paged(rig)], [])
  rig.store.silences.end(silence.id, 'Ben')
  assert.deepEqual([...rig.told(), ...rig.pass(1), ...paged(rig)].sort(), ['delivery', 'notice', 'person:ada:1: disk'])
})

const PROVIDER: Target = { kind: 'provider' }
const BEN = { afterMs: 8 * MINUTE, notify: [{ kind: 'person', name: 'ben' }] } as const

test('a page that the provider does not take brings the next step', (t) => {
  const rig = new OncallRig(t, rulesOf({ steps: [{ afterMs: 0, notify: [PROVIDER] }, BEN], repeat: 0 }))
  rig.fire('disk')
  assert.deepEqual(paged(rig, 'dead'), ['trigger'])
  assert.deepEqual(rig.told(), ['person:ben:1: disk'])
  const [asked] = rig.runs()[0]?.pages ?? []
  assert.deepEqual([asked?.target, asked?.state, asked?.detail], ['provider', 'dead', 'no such key'])
})

test('one that another destination of the provider took does not', (t) => {
  const notify: Target[] = [PROVIDER, { kind: 'provider', target: 'boss' }]
  const rig = new OncallRig(t, rulesOf({ steps: [{ afterMs: 0, notify }, BEN], repeat: 0 }))
  rig.fire('disk')
  const [first, second] = rig.claimAll(['oncall']).dispatches
  assert.ok(first && second)
  rig.settle(first, { state: 'dead', reason: 'no such key' })
  rig.settle(second, { state: 'sent' })
  assert.deepEqual(rig.pass(7), ['notice'])
  assert.deepEqual(rig.pass(1), ['person:ben:1: disk'])
})

test('a person whom the provider does not reach is asked by the next way', (t) => {
  const rules = rulesOf({ steps: [{ afterMs: 0, notify: [{ kind: 'person', name: 'ada' }] }, BEN], repeat: 0 })
  const [, mail] = rules.people.get('ada')?.ways ?? []
  assert.ok(mail)
  const ways = [{ kind: 'provider', target: 'person:ada:1', afterMs: 0 } as const, mail]
  const people = new Map([...rules.people, ['ada', { name: 'Ada', timeZone: 'UTC', ways }] as const])
  const rig = new OncallRig(t, { ...rules, people })
  rig.fire('disk')
  assert.deepEqual(rig.told(), [])
  assert.deepEqual(paged(rig, 'dead'), ['trigger person:ada:1'])
  assert.deepEqual(rig.told('dead'), ['person:ada:2: disk'])
  assert.deepEqual(rig.told(), ['person:ben:1: disk'])
})

test('of the pages of one incident at two destinations of the provider each has its own outcome', (t) => {
  const notify: Target[] = [PROVIDER, { kind: 'provider', target: 'boss' }]
  const rig = new OncallRig(t, rulesOf({ steps: [{ afterMs: 0, notify }], repeat: 0 }))
  rig.fire('disk')
  const [first, second] = rig.claimAll(['oncall']).dispatches
  assert.ok(first && second)
  rig.settle(first, { state: 'sent' })
  rig.settle(second, { state: 'pending', at: rig.now + MINUTE })
  assert.equal(rig.store.status.state().unknownSettlements, 0)
  rig.now += MINUTE
  assert.deepEqual(paged(rig), ['trigger boss'])
})
