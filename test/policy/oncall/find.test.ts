import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Escalation, OncallPerson, OncallRules } from '../../../src/policy/oncall/escalation.ts'
import { openFind, planInForce } from '../../../src/policy/oncall/find.ts'
import { HIGH, plan, step, WARNING } from './run-setup.ts'
import { instant, schedule } from './setup.ts'

const ada: OncallPerson = {
  ...{ name: 'Ada Lovelace', timeZone: 'Europe/London', ways: [] },
  quiet: { from: 22 * 60, until: 7 * 60, belowRank: HIGH },
}
const ben: OncallPerson = { name: 'Ben', timeZone: 'Europe/Berlin', ways: [] }
const rules = (given: Partial<OncallRules> = {}): OncallRules => ({
  people: new Map(Object.entries({ ada, ben })),
  schedules: new Map(Object.entries({ primary: schedule(), lead: schedule() })),
  ...{ enable: true, escalations: new Map<string, Escalation>(), gatewayPaces: new Map() },
  ...given,
})
const NIGHT = instant('2026-11-27T23:00', 'Europe/London')
const MORNING = instant('2026-11-28T07:00', 'Europe/London')

test('a schedule names who is on call at the instant, or when somebody is again', () => {
  const find = openFind(rules(), (name, at) =>
    name === 'lead'
      ? { because: 'gap', until: 9, next: 9 }
      : { person: at < 5 ? 'ben' : 'ada', because: 'layer weeks', until: 5 },
  )
  assert.deepEqual(find({ kind: 'schedule', name: 'primary' }, 1, HIGH), { people: ['ben'], because: 'layer weeks' })
  assert.deepEqual(find({ kind: 'schedule', name: 'primary' }, 5, HIGH), { people: ['ada'], because: 'layer weeks' })
  assert.deepEqual(find({ kind: 'schedule', name: 'lead' }, 1, HIGH), { people: [], because: 'gap', next: 9 })
})

test('a person is found by key, and by the name with which an acknowledgement is told', () => {
  const find = openFind(rules(), () => undefined)
  assert.deepEqual(find({ kind: 'person', name: 'ada' }, 1, HIGH).people, ['ada'])
  assert.deepEqual(find({ kind: 'person', name: 'Ada Lovelace' }, 1, HIGH).people, ['ada'])
})

test('a person, a schedule, or a person of an override that the configuration does not have is gone', () => {
  const find = openFind(rules(), () => ({ person: 'zoe', because: 'override 7', until: 40 }))
  assert.deepEqual(find({ kind: 'person', name: 'zoe' }, 1, HIGH), { people: [], because: 'gone' })
  assert.deepEqual(find({ kind: 'schedule', name: 'other' }, 1, HIGH), { people: [], because: 'gone' })
  assert.deepEqual(find({ kind: 'schedule', name: 'primary' }, 1, HIGH), { people: [], because: 'gone', next: 40 })
})

test('quiet hours of a person are told for what waits in them', () => {
  const find = openFind(rules(), () => ({ person: 'ada', because: 'layer weeks', until: Infinity }))
  assert.equal(find({ kind: 'schedule', name: 'primary' }, NIGHT, WARNING).quietUntil, MORNING)
  assert.equal(find({ kind: 'person', name: 'ada' }, NIGHT, WARNING).quietUntil, MORNING)
  assert.equal(find({ kind: 'schedule', name: 'primary' }, NIGHT, HIGH).quietUntil, undefined)
})

test('a plan stays in force while one of its people, schedules or providers is there', () => {
  for (const targets of ['person:ada', 'schedule:lead', 'provider', 'person:zoe schedule:lead', 'channel:chatws']) {
    const kept = plan({ steps: [step(0, targets)] })
    assert.equal(planInForce(kept, rules()), kept)
  }
})

test('a plan whose targets are all gone goes on with the escalation of its name, the usual one, or the provider', () => {
  const gone = plan({ steps: [step(0, 'person:zoe channel:chatws'), step(5, 'schedule:other')] })
  const [same, usual] = [plan({ steps: [step(0, 'person:ada')] }), plan({ name: 'usual' })]
  const both = new Map(Object.entries({ office: same, usual }))
  assert.equal(planInForce(gone, rules({ escalations: both, escalation: 'usual' })), same)
  const renamed = new Map(Object.entries({ usual }))
  assert.equal(planInForce(gone, rules({ escalations: renamed, escalation: 'usual' })), usual)
  const alone = planInForce(gone, rules({ escalations: renamed }))
  assert.deepEqual([alone.name, alone.steps], ['office', [step(0, 'provider')]])
})
