import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fatigue } from '../../../actors/main/api/noise/fatigue.ts'
import { reportRoute } from '../../../actors/main/api/noise/report.ts'
import type { Ask } from '../../../actors/messages/query.ts'
import type { StorageQueries } from '../../../actors/messages/storage-queries.ts'
import type { FatigueReport } from '../../../src/api/noise/report.ts'
import { markdownOf } from '../../../src/commands/noise/report.ts'
import type { SilenceFilter } from '../../../src/store/noise/queries/filters.ts'
import { draft, entriesFor, START, StoreRig } from '../support.ts'
import { SilenceRig, silenceOf } from './silences/rig.ts'

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
  assert.deepEqual(report.notified, {
    by_message: 6,
    by_digest: 0,
    waiting: 1,
    silenced: 0,
    dead: 1,
    share_by_digest: 0,
  })
  assert.deepEqual([report.incidents, report.top[0]?.fingerprint, report.top[0]?.title], [8, 'flaps', 'flaps resolved'])
  assert.deepEqual(
    report.flapping.map(({ fingerprint, firing, resolved }) => [fingerprint, firing, resolved]),
    [['flaps', 3, 3]],
  )
})

test('a report names silences that held nothing for 30 days', async (t) => {
  const day = 24 * HOUR_MS
  const [never, long, used, over] = ['never', 'long ago', 'lately', 'over'].map((name) =>
    silenceOf({
      name,
      conditions: [{ field: 'title', values: [name], where: '' }],
      endsAt: START + (name === 'over' ? 1 : 300) * day,
      schedule: [{ cron: '0 0 * * *', forMs: HOUR_MS, timeZone: 'UTC' }],
    }),
  )
  assert.ok(never && long && used && over)
  const rig = new SilenceRig(t, [never, long, used, over])
  rig.incident('a', { title: 'long ago' })
  rig.now += 20 * day
  rig.incident('b', { title: 'lately' })
  rig.now += 15 * day
  rig.turn({})
  const { store } = rig
  const askStorage = async (asked: { readonly kind: string; readonly filter?: SilenceFilter }) =>
    asked.kind === 'silences' && asked.filter !== undefined
      ? store.silences.list(asked.filter)
      : asked.kind === 'reportPart'
        ? store.report.part({ since: START, before: undefined })
        : []
  const { answer } = reportRoute({ askStorage: askStorage as unknown as Ask<StorageQueries>, now: () => rig.now })
  const { json } = await answer({
    query: new URLSearchParams(),
    params: {},
    body: undefined,
    contentType: '',
    headers: {},
  })
  const { unused_silences } = json as FatigueReport
  assert.deepEqual(
    unused_silences.map(({ name, last_held_at }) => [name, last_held_at !== null]),
    [
      ['never', false],
      ['long ago', true],
    ],
  )
  const text = markdownOf(json as FatigueReport)
  assert.match(
    text,
    /## Silences that held nothing for 30 days\n\n.*\n.*\n\| 1 \| never \| title never \| Anna \| .* \| never \|/,
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
  const { notified, pages, destinations } = reportOf(rig, START, rig.now)
  assert.equal(notified.by_message + notified.by_digest, 40)
  assert.ok(notified.by_digest > 0)
  assert.deepEqual([pages.paged, pages.never_acknowledged], [40, 39])
  assert.ok((destinations[0]?.messages ?? 0) > notified.by_message)
})

test('a report counts what a silence kept for good apart from what waits', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  for (let n = 0; n < 3; n++) rig.incident('a')
  const { notified } = reportOf(rig, START, rig.now)
  assert.deepEqual([notified.waiting, notified.silenced], [1, 2])
})
