import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fatigue } from '../../../actors/main/api/noise/fatigue.ts'
import { draft, entriesFor, START, StoreRig } from '../support.ts'

const HOUR_MS = 3_600_000

function reportOf({ store }: StoreRig, from: number, to: number) {
  const fatigue = new Fatigue({ from, to, timeZone: 'Europe/Berlin' })
  let before: number | undefined
  let steps = 0
  do {
    const part = store.report.part({ since: from, before })
    fatigue.add(part)
    before = part.before
    steps++
  } while (before !== undefined)
  fatigue.addMessages(store.report.revisions(from))
  return { steps, ...fatigue.report() }
}

test('a report counts messages by destination and hour, nights, and problems', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'] })
  // The store begins at 1:00 in Berlin.
  for (const status of ['firing', 'resolved', 'firing', 'resolved', 'firing', 'resolved'] as const)
    rig.spill({ fingerprint: 'flaps', title: `flaps ${status}`, status })
  rig.finish('chatws')
  rig.now += 12 * HOUR_MS
  rig.spill({ fingerprint: 'other' })
  rig.finish('chatws', { state: 'dead', reason: 'gone' })
  rig.spill()
  const report = reportOf(rig, START, rig.now)
  assert.deepEqual(
    report.destinations.map(({ destination, messages, at_night, by_hour }) => [
      destination,
      messages,
      at_night,
      by_hour,
    ]),
    [['chatws', 6, 6, [{ at: new Date(START).toISOString(), count: 6 }]]],
  )
  assert.deepEqual(report.told, { singly: 6, by_digest: 0, waiting: 1, dead: 1, share_by_digest: 0 })
  assert.deepEqual([report.incidents, report.top[0]?.fingerprint, report.top[0]?.title], [8, 'flaps', 'flaps resolved'])
  assert.deepEqual(
    report.flapping.map(({ fingerprint, firing, resolved }) => [fingerprint, firing, resolved]),
    [['flaps', 3, 3]],
  )
})

test('a report of a long history is made in steps, and ends at its time', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 10_000 })
  const commit = (count: number) =>
    rig.turn({ entries: entriesFor(rig.store, [{ drafts: Array.from({ length: count }, () => draft()) }], rig.now) })
  commit(2_500)
  rig.now += HOUR_MS
  commit(4_500)
  const recent = reportOf(rig, rig.now, rig.now + 1)
  assert.deepEqual([recent.incidents, recent.steps], [4_500, 3])
  assert.equal(recent.counted_since, new Date(rig.now).toISOString())
  const all = reportOf(rig, START - HOUR_MS, rig.now)
  assert.deepEqual([all.incidents, all.counted_since], [7_000, new Date(START).toISOString()])
})

test('a report counts pages that nobody acknowledged, and incidents that a digest told', (t) => {
  const chat = { perSecond: 1, burst: 4 }
  const storms = { chatws: { enable: true, rate: chat, reading: chat, withinMs: 60_000, edits: true } }
  const rig = new StoreRig(t, {
    channels: ['chatws'],
    storms,
    oncall: { enable: true, waitMs: 0, provider: 'webhook' },
  })
  const drafts = Array.from({ length: 40 }, () => draft())
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  for (let n = 0; n < 60; n++) {
    rig.now += 1_000
    for (const one of rig.claimAll(['chatws', 'oncall']).dispatches)
      rig.settle(one, { state: 'sent' }, { startedAt: rig.now })
  }
  rig.store.operator.acknowledge(drafts[0]?.id ?? '', 'anna')
  const { told, pages, destinations } = reportOf(rig, START, rig.now)
  assert.equal(told.singly + told.by_digest, 40)
  assert.ok(told.by_digest > 0)
  assert.deepEqual([pages.paged, pages.never_acknowledged], [40, 39])
  assert.ok((destinations[0]?.messages ?? 0) > told.singly)
})
