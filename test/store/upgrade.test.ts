import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentDetail } from '../../src/api/incident.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { before, minutesAfter, openKilled } from './killed.ts'
import { about, type UpgradedStore } from './upgraded.ts'

/** The database of version 1.4.0 that `fixtures/kill-under-load.ts` made: killed in a flood, opened by this version. */

const named = (name: string) => before.named[name] ?? assert.fail(`nothing is named ${name}`)
const arranged = new Map(before.incidents.map((incident) => [incident.id, incident]))
const stateBefore = (id: string, channel: ChannelName) =>
  arranged.get(id)?.deliveries.find((delivery) => delivery.channel === channel)?.state
const isLeased = (id: string, channel: ChannelName) => stateBefore(id, channel) === 'sending'

test('no incident that was answered is lost, and none is there twice', (t) => {
  const killed = openKilled(t)
  assert(killed.store.status.counters().leftBehindIncidents > 100, 'the kill left a journal')
  for (const applied of ['applied', 'opened again'] as const) {
    killed.applyAll()
    const all = killed.all()
    const titles = all.map(({ title }) => title)
    assert.equal(new Set(all.map((each) => `${each.title} ${each.reported_status}`)).size, all.length, applied)
    const answered = before.answered.flatMap((request) => request.titles)
    assert.deepEqual(
      answered.filter((title) => !titles.includes(title)),
      [],
      applied,
    )
    for (const request of before.answered) assert.equal(killed.detail(request.id).title, request.titles[0], applied)
    const { incidents, leftBehindIncidents, quarantinedIncidents } = killed.store.status.counters()
    assert.deepEqual([incidents, leftBehindIncidents, quarantinedIncidents], [titles.length, 0, 0], applied)
    killed.reopen()
  }
})

test('incidents, deliveries, attempts and pages are as the earlier version showed them', (t) => {
  const killed = openKilled(t)
  killed.applyAll()
  for (const was of before.incidents) {
    const fields = Object.keys(expected(was))
    const shown = Object.entries(comparable(killed.detail(was.id))).filter(([field]) => fields.includes(field))
    assert.deepEqual(Object.fromEntries(shown), expected(was))
  }
  assert.equal(killed.detail(named('topic')).topic?.message_id, '11111111-2222-3333-4444-555555555555')
  assert.equal(killed.detail(named('elsewhere')).deliveries[0]?.target, 'ops')
})

/** Leases ended, no delivery is told by a digest or stands in for another, and an incident that a person resolved is resolved. */
function expected(was: (typeof before.incidents)[number]) {
  const resolved = was.status === 'resolved' || was.resolved_at !== null
  const deliveries = was.deliveries.map((delivery) => ({
    ...delivery,
    via: null,
    reason: null,
    ...(delivery.state === 'sending' && { state: 'pending', may_duplicate: true }),
  }))
  return comparable({
    ...was,
    applied: true,
    status: resolved ? 'resolved' : 'firing',
    reported_status: was.status,
    deliveries,
  })
}

/** Without the due times of what was under way: it is due at once. */
function comparable({ deliveries, oncall, ...incident }: { readonly [K in keyof IncidentDetail]: unknown }) {
  const withoutLease = (each: { readonly may_duplicate: boolean }) =>
    each.may_duplicate ? { ...each, next_attempt_at: undefined } : each
  const page = oncall as IncidentDetail['oncall']
  return {
    ...incident,
    deliveries: (deliveries as IncidentDetail['deliveries']).map(withoutLease),
    oncall: page && { ...page, next_attempt_at: page.state === 'armed' ? page.next_attempt_at : undefined },
  }
}

test('pending and leased deliveries are pending, those that were leased marked as possible duplicates', (t) => {
  const killed = openKilled(t)
  killed.applyAll()
  const all = killed.all()
  for (const channel of ['chatws', 'msgapp'] as const) {
    const unfinished = all.filter(({ id }) => ['pending', 'sending', undefined].includes(stateBefore(id, channel)))
    const claimed = killed.claimDeliveries(channel)
    assert.deepEqual(claimed.map(({ id }) => id).sort(), unfinished.map(({ id }) => id).sort(), channel)
    const leased = claimed.filter(({ mayDuplicate }) => mayDuplicate).map(({ id }) => id)
    assert.deepEqual(leased.sort(), [...arranged.keys()].filter((id) => isLeased(id, channel)).sort(), channel)
    assert(leased.length > 0)
  }
  const retried = killed.detail(named('retried')).deliveries.find(({ channel }) => channel === 'msgapp')
  assert.deepEqual([retried?.state, retried?.attempts.length], ['sending', 1])
})

test('a delivery waits for its retry, and is not due before', (t) => {
  const killed = openKilled(t, before.killedAt)
  killed.applyAll()
  const was = arranged.get(named('retried'))?.deliveries.find(({ channel }) => channel === 'msgapp')
  assert(Date.parse(was?.next_attempt_at ?? '') > before.killedAt)
  assert(!killed.claimDeliveries('msgapp').some(({ id }) => id === named('retried')))
})

test('escalations go on: pages, timers, and what the provider is to be told', (t) => {
  const killed = openKilled(t)
  killed.applyAll()
  const armed = killed.all().filter(({ oncall }) => oncall?.state === 'armed')
  assert(armed.some(({ id }) => id === named('armed')))
  assert(armed.length > 10, 'the flood had timers')
  assert.equal(killed.store.status.state().oncall.armed, armed.length)
  const signals = killed
    .claimPages()
    .map(({ id, signal, mayDuplicate, attempt }) => [id, signal, mayDuplicate, attempt])
  assert.deepEqual(signals.sort(), [
    ...[[named('to acknowledge'), 'acknowledge', false, 1]],
    ...[[named('to resolve'), 'resolve', false, 1]],
    ...[[named('paging'), 'trigger', false, 2]],
    ...[[named('under way'), 'trigger', true, 1]],
  ])
  killed.now = minutesAfter(125)
  assert.deepEqual(
    killed
      .claimPages()
      .map(({ id, signal }) => [id, signal])
      .sort(),
    armed.map(({ id }) => [id, 'trigger']).sort(),
  )
})

test('follow-ups and the notice of dead deliveries go out', (t) => {
  const killed = openKilled(t)
  killed.applyAll()
  const dead = before.channels.find(({ name }) => name === 'msgapp')?.dead ?? 0
  assert(dead > 0)
  const titleOf = (name: string) => killed.detail(named(name)).title
  assert.deepEqual(
    killed
      .claimNotices()
      .map(({ channel, text, mayDuplicate }) => [text, channel, mayDuplicate])
      .sort(),
    [
      [about('msgapp', dead), 'chatws', false],
      [`✅ Acknowledged by Cleo: ${titleOf('to acknowledge')}`, 'chatws', true],
      [`✅ Acknowledged by Cleo: ${titleOf('to acknowledge')}`, 'msgapp', true],
      [`🟢 Resolved by Dan: ${titleOf('to resolve')}`, 'chatws', false],
      [`🟢 Resolved by Dan: ${titleOf('to resolve')}`, 'msgapp', false],
    ].sort(),
  )
  assert.deepEqual(killed.claimNotices(), [])
})

test('channels keep pauses, dead letters, last success and last error', (t) => {
  const killed = openKilled(t)
  killed.applyAll()
  const health = killed.store.channels.health()
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  for (const { name, paused_at, dead, last_sent_at, last_error } of before.channels) {
    const { pausedAt, deadNow, lastSentAt, lastError } = health[name]
    const error = lastError && [iso(lastError.at), lastError.detail, lastError.incidentId]
    const errorBefore = last_error ? [last_error.at, last_error.detail, last_error.incident_id] : undefined
    const now = [iso(pausedAt), deadNow, iso(lastSentAt), error]
    assert.deepEqual(now, [paused_at, dead, last_sent_at, errorBefore], name)
  }
  assert(killed.store.channels.isPaused('officechat'))
})

test('idempotency keys of applied and of unapplied incidents are found', (t) => {
  for (const moment of ['before', 'after'] as const) {
    const killed = openKilled(t)
    if (moment === 'after') killed.applyAll()
    const keyed = before.answered.filter(({ key }) => key !== undefined)
    for (const { id, key = '' } of keyed) assert.deepEqual(killed.submit({ key }), { kind: 'duplicate', id }, moment)
    const topic = killed.submit({ key: 'sns raw 11111111-2222-3333-4444-555555555555' })
    assert.deepEqual(topic, { kind: 'duplicate', id: named('topic') }, moment)
  }
})

test('the log agent reads on where it was', (t) => {
  const killed = openKilled(t)
  const twoLines = Buffer.byteLength('error: connection to db-1 lost\n') * 2
  assert.equal(killed.store.cursors.load().app?.offset, twoLines)
})

test('opening once more changes nothing, whether or not the journal was applied before', (t) => {
  const state = (killed: UpgradedStore) => {
    killed.applyAll()
    const { store } = killed
    return { incidents: killed.all(), counters: store.status.counters(), channels: store.channels.health() }
  }
  const once = openKilled(t)
  const expected = state(once)
  once.reopen()
  assert.deepEqual(state(once), expected)
  const twice = openKilled(t)
  twice.reopen()
  assert.deepEqual(state(twice), expected)
})
