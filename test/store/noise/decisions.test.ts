import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Decision } from '../../../src/policy/decision.ts'
import { type DeliveryFacts, InFlightCache } from '../../../src/store/outbox/in-flight-cache.ts'
import { openDatabase, rowsOf } from '../database.ts'
import { draft, entriesFor, START, StoreRig } from '../support.ts'

const RULES = [{ name: 'payments', where: 'config.yaml:12' }]
const TWICE: Decision = {
  destinations: [{ channel: 'chatws' }, { channel: 'chatws', target: 'payments', template: 'p.tmpl' }],
  priority: 'normal',
  rules: RULES,
}

const given = (t: TestContext, decision: Decision) => new StoreRig(t, { decide: () => decision })

test('an incident goes to several destinations of one channel, each with its own delivery', (t) => {
  const rig = given(t, TWICE)
  const id = rig.spill()
  const [own, other] = rig.claim('chatws')
  assert(own && other)
  assert.deepEqual(
    [own.target, own.template, other.target, other.template],
    [undefined, undefined, 'payments', 'p.tmpl'],
  )
  rig.settle(own, { state: 'sent' })
  rig.settle(other, { state: 'dead', reason: 'gone' })
  const { notify_status, notify_error, channels_enabled, deliveries } = rig.detail(id)
  assert.deepEqual([notify_status, notify_error, channels_enabled], ['partial', 'chatws: gone', ['chatws']])
  assert.deepEqual(
    deliveries.map(({ channel, target, state, attempts }) => [channel, target, state, attempts.length]),
    [
      ['chatws', null, 'sent', 1],
      ['chatws', 'payments', 'dead', 1],
    ],
  )
  assert.equal(rig.store.operator.replay({ state: 'dead', channel: 'chatws' }), 1)
  const [again] = rig.claim('chatws')
  assert.deepEqual([again?.target, again?.template], ['payments', 'p.tmpl'])
})

test('a replay of one destination leaves the dead letter of the other', (t) => {
  const rig = given(t, TWICE)
  const id = rig.spill()
  const dead = () => rig.store.incidents.deliveries({ state: 'dead', limit: 9 }).deliveries.map(({ target }) => target)
  rig.finish('chatws', { state: 'dead', reason: 'gone' })
  assert.deepEqual(dead().sort(), [null, 'payments'])
  const replay = (target: string | null) => rig.store.operator.replay({ state: 'dead', channel: 'chatws', id, target })
  assert.equal(replay('nowhere'), 0)
  assert.equal(replay(null), 1)
  assert.deepEqual(dead(), ['payments'])
  assert.equal(replay('payments'), 1)
  assert.deepEqual(dead(), [])
})

test('other destinations keep their deliveries over a restart, and are leased in the order of the incidents', (t) => {
  const rig = given(t, TWICE)
  for (let n = 0; n < 3; n++) rig.spill()
  rig.reopen()
  const order = rig.claim('chatws', 4).map(({ incident, target = '' }) => `${incident} ${target}`)
  assert.deepEqual(order, ['1 ', '1 payments', '2 ', '2 payments'])
  rig.reopen()
  assert.deepEqual(
    rig.claim('chatws').map(({ incident, mayDuplicate }) => [incident, mayDuplicate]),
    [1, 1, 2, 2, 3, 3].map((incident) => [incident, incident < 3]),
  )
})

test('an incident is explained with the key of its request, among many keys, until the key is forgotten', (t) => {
  const rig = given(t, TWICE)
  const ids = Array.from({ length: 40 }, (_, n) => {
    rig.now += n % 3
    const one = draft()
    rig.commit({ ...(n % 4 > 0 && { key: `key ${n}` }), drafts: [one] })
    return one.id
  })
  const keys = ids.map((id) => rig.store.noise.decided(id)?.key)
  assert.deepEqual(
    keys,
    ids.map((_, n) => (n % 4 > 0 ? `key ${n}` : undefined)),
  )
})

test('a turn says how long the decisions about its incidents took together', (t) => {
  let elapsed = 0
  const decide = () => {
    elapsed += 3
    return TWICE
  }
  const rig = new StoreRig(t, { decide, elapsed: () => elapsed })
  assert.equal(rig.commit({ drafts: [draft(), draft()] }).decideMs, 6)
  assert.equal(rig.claimAll().decideMs, 0)
})

test('decisions that differ for each request go with the last incident that has them; the hits of rules stay', (t) => {
  let line = 0
  const decide = (): Decision => ({
    ...TWICE,
    destinations: [],
    rules: [{ name: 'payments', where: `config.yaml:${Math.floor(++line / 2)}` }],
  })
  const rig = new StoreRig(t, { maxIncidents: 10, decide })
  for (let n = 0; n < 60; n++) rig.spill()
  assert.throws(() => rig.failingAtCommit(() => rig.store.maintenance.prune(1_000)))
  rig.store.maintenance.prune(1_000)
  const { rules, unmatched } = rig.store.noise.routeHits()
  assert.deepEqual([rules, unmatched], [[{ name: 'payments', hits: 60, lastAt: START }], 0])
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  t.after(() => db.close())
  const [count] = rowsOf<{ decisions: number; incidents: number; stored: number }>(
    db,
    'SELECT count(*) AS decisions, (SELECT count(*) FROM incidents) AS incidents, sum(stored) AS stored FROM decisions',
  )
  assert.deepEqual([count?.decisions, count?.incidents, Number(count?.stored)], [6, 10, 10])
})

test('destinations that requests named go after their last incident, and no number is given twice', (t) => {
  let n = 0
  const decide = (): Decision => ({ ...TWICE, destinations: [{ channel: 'chatws', target: `chat ${++n}` }] })
  const rig = new StoreRig(t, { maxIncidents: 10, maxBacklog: 10_000, decide })
  const commit = () => rig.commit({ drafts: Array.from({ length: 300 }, () => draft()) }, ['chatws'])
  const codes = [...commit().dispatches, ...commit().dispatches].map((dispatch) => {
    rig.settle(dispatch, { state: 'sent' })
    return dispatch.code
  })
  assert.equal(new Set(codes).size, 600)
  while (rig.store.maintenance.prune(1_000) > 0);
  const known = () => rig.store.noise.destinations().length
  const left = known()
  assert.ok(left < 400, String(left))
  rig.reopen()
  const [last] = rig.commit({ drafts: [draft()] }, ['chatws']).dispatches
  assert.equal(last?.code, Math.max(...codes) + 1)
})

test('retention deletes destinations in a turn in which the clock jumps', (t) => {
  let n = 0
  const decide = (): Decision => ({ ...TWICE, destinations: [{ channel: 'chatws', target: `chat ${++n}` }] })
  const PACE = { perSecond: 10, burst: 40 }
  const storms = { chatws: { enable: true, rate: PACE, reading: PACE, withinMs: 60_000, edits: true } }
  const rig = new StoreRig(t, { maxIncidents: 10, maxBacklog: 10_000, decide, storms })
  const known = () => rig.store.noise.destinations().length
  for (let round = 0; round < 3; round++) {
    const drafts = Array.from({ length: 300 }, () => draft())
    rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now), clockJumpMs: -2_000 })
    rig.finish('chatws')
  }
  assert.ok(known() < n, 'some were deleted')
})

test('a destination beyond 10,000 that requests named is the default one of its channel, and is reported', (t) => {
  const wanted = ['chat 9999', 'one more', 'another']
  const decide = (): Decision => ({
    ...TWICE,
    destinations: wanted.map((target) => ({ channel: 'chatws', target })),
  })
  const full: string[] = []
  const destinationsFull = (...destination: readonly string[]) => full.push(destination.join(' '))
  const rig = new StoreRig(t, { decide, destinationsFull })
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
    INSERT INTO destinations (code, channel, target) SELECT 40 + n, 0, 'chat ' || n FROM numbers`)
  db.close()
  rig.reopen()
  const { deliveries } = rig.detail(rig.spill())
  assert.deepEqual(
    deliveries.map(({ channel, target }) => [channel, target]),
    [
      ['chatws', null],
      ['chatws', 'chat 9999'],
    ],
  )
  assert.deepEqual(full, ['chatws one more', 'chatws another'])
})

test('leased deliveries to more destinations than 65,536 are kept apart', () => {
  const cache = new InFlightCache()
  const facts = (id: string) => ({ id }) as DeliveryFacts
  cache.add(2, 0, facts('own'))
  cache.add(1, 65_536, facts('other'))
  assert.deepEqual([cache.remove(2, 0)?.id, cache.remove(1, 65_536)?.id], ['own', 'other'])
})

test('an incident that a route sends to nobody is finished, and says so', (t) => {
  const rig = given(t, { destinations: [], priority: 'low', rules: RULES })
  const id = rig.spill()
  assert.deepEqual(rig.claimAll().dispatches, [])
  const { notify_status, deliveries } = rig.detail(id)
  assert.deepEqual([notify_status, deliveries], ['nobody', []])
  assert.equal(rig.store.status.counters().finishedIncidents, 1)
})

test('a page goes to the destination that the decision names, and outlives the defaults being switched off', (t) => {
  const page = { waitMs: 1_000, target: 'payments' }
  const oncall = { enable: true, waitMs: 60_000, provider: 'pagerduty' }
  const rig = new StoreRig(t, { oncall, decide: () => ({ ...TWICE, page }) })
  rig.commit({ drafts: [draft()] })
  rig.reopen({ oncall: { ...oncall, enable: false } })
  rig.now += 1_000
  const [dispatch] = rig.claimAll(['oncall']).dispatches
  assert.deepEqual([dispatch?.kind, dispatch?.target], ['page', 'payments'])
})

test('a page that no rule asks for is cancelled when on-call is switched off, whatever else the rules said', (t) => {
  const oncall = { enable: true, waitMs: 60_000, provider: 'pagerduty' }
  const rig = new StoreRig(t, { oncall, decide: () => ({ ...TWICE, page: { waitMs: 1_000 } }) })
  rig.commit({ drafts: [draft()] })
  rig.reopen({ oncall: { ...oncall, enable: false }, decide: () => TWICE })
  rig.now += 1_000
  assert.deepEqual(rig.claimAll(['oncall']).dispatches, [])
})

test('an incident of a disk that refused it is decided again', (t) => {
  const rig = given(t, TWICE)
  assert.throws(() => rig.failingAtCommit(() => rig.spill()))
  const id = rig.spill()
  assert.equal(rig.detail(id).deliveries.length, 2)
  assert.equal(rig.claim('chatws').length, 2)
})

test('a resend goes where the rules sent the incident, and nowhere else', (t) => {
  const decision: Decision = { destinations: [{ channel: 'chatws' }], priority: 'normal', rules: RULES }
  const rig = new StoreRig(t, { channels: ['chatws', 'email'], decide: () => decision })
  const id = rig.spill()
  rig.finish('chatws')
  assert.equal(rig.store.operator.resend(id), true)
  assert.deepEqual(
    rig.detail(id).deliveries.map(({ channel, state }) => [channel, state]),
    [['chatws', 'pending']],
  )
})
