import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../src/domain/incident.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from '../noise/silences/rig.ts'
import { claimPages, POLICY, paging, settle } from '../paging.ts'
import { draft, entriesFor, START, StoreRig } from '../support.ts'

/** Commits an incident of one problem; returns its id. */
function commit(rig: StoreRig, changes: Partial<Draft> = {}): string {
  const one = draft({ sender: 'error_tracker', fingerprint: 'db', severity: 'warning', ...changes })
  rig.commit({ drafts: [one] })
  rig.finish('email')
  return one.id
}
const settleAll = (rig: StoreRig) => {
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
}

test('another provider pages for a problem whose end the former one still had to hear', (t) => {
  const rig = paging(t)
  commit(rig)
  rig.now += MINUTE
  settleAll(rig)
  commit(rig, { status: 'resolved' })
  const [end] = claimPages(rig)
  assert(end)
  settle(rig, end, { state: 'pending', at: rig.now + 10_000 })
  rig.reopen({ oncall: { ...POLICY, provider: 'pagerduty' } })
  rig.now += 20_000
  assert.deepEqual(claimPages(rig), [])
  const id = commit(rig, { severity: 'critical' })
  rig.now += HOUR
  settleAll(rig)
  assert.equal(rig.detail(id).oncall?.state, 'paged')
})

test('a louder timer beside a page that is on its way is held by a silence that begins', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ startsAt: START + 20 * MINUTE, endsAt: START + 80 * MINUTE })])
  rig.incident('disk', { sender: 'error_tracker', severity: 'warning' })
  rig.now = START + 18 * MINUTE
  const [page] = claimPages(rig)
  assert(page)
  const louder = rig.incident('disk', { sender: 'error_tracker', severity: 'critical' })
  rig.now = START + 20 * MINUTE
  rig.turn({})
  settle(rig, page, { state: 'sent' })
  rig.now = START + 30 * MINUTE
  assert.deepEqual(claimPages(rig), [])
  assert.equal(rig.detail(louder).oncall?.state, 'held')
})

test('an acknowledgement covers repeats inside a silence too', (t) => {
  const repeats = { mode: 'fold', remindMs: 4 * HOUR } as const
  const rig = new SilenceRig(t, [silenceOf()], { repeats })
  const id = rig.incident('disk', { sender: 'error_tracker' })
  rig.store.operator.acknowledge(id, 'Bea')
  rig.at(10 * MINUTE)
  rig.incident('disk', { sender: 'error_tracker' })
  rig.at(HOUR)
  rig.at(HOUR + 6 * MINUTE)
  assert.deepEqual(rig.paged, [])
})

test('the link of a louder page acknowledges it, also when a quieter one was acknowledged and both incidents are deleted', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20 })
  rig.store.operator.acknowledge(commit(rig), 'Ada')
  const louder = commit(rig, { severity: 'critical' })
  rig.now += MINUTE
  settleAll(rig)
  const drafts = Array.from({ length: 40 }, () => draft({ source: 'agent', severity: 'low' }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  rig.finish('email')
  while (rig.store.maintenance.prune(256) > 0);
  assert.equal(rig.store.incidents.detail(louder), undefined)
  assert.equal(rig.store.operator.acknowledge(louder, 'Eve', 1).kind, 'acknowledged')
  assert.deepEqual(
    claimPages(rig).map(({ signal }) => signal),
    ['acknowledge'],
  )
})

test('in a storm, an acknowledgement of an earlier time of a problem stands for no page of the next one', (t) => {
  const rate = { perSecond: 0.5, burst: 2 }
  const storm = { enable: true, rate, reading: rate, withinMs: MINUTE, edits: false }
  const rig = new StoreRig(t, { channels: ['email'], oncall: POLICY, storms: { email: storm } })
  const one = draft({ fingerprint: 'db' })
  rig.commit({ drafts: [one] })
  rig.store.operator.acknowledge(one.id, 'Ada')
  rig.finish('email')
  rig.now += 40 * MINUTE
  rig.turn({})
  for (let nth = 0; nth < 120; nth++) rig.commit({ drafts: [draft({ fingerprint: `x${nth}` })] })
  const again = draft({ fingerprint: 'db' })
  rig.commit({ drafts: [again] })
  assert.equal(rig.detail(again.id).oncall?.state, 'armed')
})

const BOTH_ORDERS = [
  ['critical', 'warning'],
  ['warning', 'critical'],
] as const
for (const order of BOTH_ORDERS)
  test(`what a silence sends at its end pages when it is louder than what was paged beside it: ${order.join(', ')}`, (t) => {
    const conditions = [{ field: 'severity', values: ['critical'], where: '' }]
    const rig = new SilenceRig(t, [silenceOf({ conditions })])
    for (const severity of order) rig.incident('disk', { sender: 'error_tracker', severity, title: severity })
    rig.at(10 * MINUTE)
    assert.deepEqual(rig.takePaged(), ['trigger warning'])
    rig.at(HOUR)
    assert.equal(rig.takeTold().at(-1), 'chatws: critical')
    rig.reopen()
    rig.at(HOUR + 4 * MINUTE)
    assert.deepEqual(rig.takePaged(), [])
    rig.at(HOUR + 5 * MINUTE)
    assert.deepEqual(rig.takePaged(), ['trigger critical'])
    rig.resolved('disk', { sender: 'error_tracker' })
    rig.deliver()
    assert.deepEqual(rig.takePaged(), ['resolve critical'])
  })

test('what a silence sends at its end pages once for all destinations, not for an incident that was acknowledged, nor a quieter one', (t) => {
  const conditions = [{ field: 'title', values: ['held'], where: '' }]
  const rig = new SilenceRig(t, [silenceOf({ conditions })], { channels: ['chatws', 'email'] })
  const commitBoth = (fingerprint: string, severity: Draft['severity']) => {
    rig.incident(fingerprint, { sender: 'error_tracker', severity: 'warning' })
    return rig.incident(fingerprint, { sender: 'error_tracker', severity, title: 'held' })
  }
  commitBoth('louder', 'critical')
  commitBoth('quieter', 'info')
  rig.store.operator.acknowledge(commitBoth('known', 'critical'), 'Ada')
  rig.at(10 * MINUTE)
  rig.takePaged()
  rig.at(HOUR)
  rig.at(HOUR + 5 * MINUTE)
  assert.deepEqual(rig.takePaged(), ['trigger held'])
})
