import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draft, START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const PROBLEMS = 1_500
const drafts = (begin: string) =>
  Array.from({ length: PROBLEMS }, (_, nth) =>
    draft({ service: 'db', sender: 'cloud_alarm', fingerprint: `${begin} ${nth}`, title: `${begin} ${nth}` }),
  )
const held = (rig: SilenceRig) => rig.store.silences.state().held
const accounts = (rig: SilenceRig) => rig.told.filter((each) => each.includes('🔔'))

test('the end of a silence tells what it held in steps, over crashes and failures, and counts all', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.commit({ drafts: drafts('p') })
  rig.resolved('p 10')
  assert.equal(held(rig), 2 * PROBLEMS - 2)
  rig.now = START + HOUR
  rig.failingAtCommit(() => assert.throws(() => rig.turn({})))
  assert.equal(held(rig), 2 * PROBLEMS - 2)
  let before = held(rig)
  let steps = 0
  const step = () => {
    assert.ok(rig.store.outbox.nextDueAt('any') <= rig.now)
    if (steps % 2 === 0) rig.reopen()
    rig.turn({})
    steps++
    assert.ok(before - held(rig) <= 2 * 512, `${before - held(rig)} at once`)
    before = held(rig)
  }
  step()
  // One is news, one is over by its sender and one by a person, before their step.
  const [last] = rig.store.incidents.list({ limit: 1, status: 'firing' }).incidents
  assert.ok(last)
  rig.store.operator.resolve(last.id, 'Bea')
  const again = rig.incident('p 1400', { title: 'p 1400 again' })
  rig.resolved('p 1401')
  before = held(rig)
  while (held(rig) > 0) step()
  assert.ok(steps >= 3, `${steps} steps`)
  rig.reopen()
  rig.deliver()
  assert.equal(rig.detail(again).notify_status, 'sent')
  const told = rig.takeTold()
  assert.deepEqual(
    told.filter((each) => each.includes('🔔')),
    [
      `chatws: 🔔 Silence "patches" (Anna) over: 1,501 alerts of 1,500 problems held, 2 resolved, 1,498 still firing, sent now`,
    ],
  )
  const titles = told.filter((each) => !each.includes('🔔'))
  assert.equal(new Set(titles).size, titles.length)
  assert.equal(titles.length, PROBLEMS - 2 + 2)
  assert.ok(titles.indexOf('chatws: p 1400') < titles.indexOf('chatws: p 1400 again'))
  rig.at(HOUR + 10 * MINUTE)
  assert.equal(new Set(rig.paged).size, rig.paged.length)
  // The timer of one that was released stands for its news.
  assert.equal(rig.paged.length, PROBLEMS - 3)
})

const BEHIND = silenceOf({
  ...{ startsAt: 0, endsAt: START + 300 * 24 * HOUR },
  while: [{ field: 'service', values: ['switch'], where: '' }],
})
const cause = { service: 'switch', sender: 'cloud_alarm' } as const

test('a silence that begins again while it tells goes on holding the rest', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  rig.incident('core', cause)
  rig.commit({ drafts: drafts('p') })
  rig.resolved('core', cause)
  rig.turn({})
  const left = held(rig)
  assert.ok(left > 0 && left < 2 * PROBLEMS)
  rig.incident('core', cause)
  rig.deliver()
  assert.equal(accounts(rig).length, 1)
  assert.match(
    accounts(rig)[0] ?? '',
    /1,500 alerts of 1,500 problems held, 0 resolved, \d+ held on by another silence, \d+ still firing/,
  )
  const first = rig.takeTold().filter((each) => each.startsWith('chatws: p '))
  rig.resolved('core', cause)
  rig.deliver()
  const second = rig.told.filter((each) => each.startsWith('chatws: p '))
  assert.equal(new Set([...first, ...second]).size, PROBLEMS)
  assert.equal(first.length + second.length, PROBLEMS)
  assert.equal(held(rig), 0)
})

test('the end of a problem that one window told passes in the next', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  rig.incident('core', cause)
  rig.incident('disk')
  rig.resolved('core', cause)
  rig.deliver()
  assert.ok(rig.takeTold().includes('chatws: disk'))
  rig.now += MINUTE
  rig.incident('core', cause)
  rig.resolved('disk')
  rig.deliver()
  assert.ok(rig.takeTold().includes('chatws: disk over'))
})
