import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Draft } from '../../src/domain/incident.ts'
import { openSignsOfLife } from '../../src/policy/heartbeat.ts'
import type { HeartbeatRules } from '../../src/store/heartbeats/rules.ts'
import type { OwedIncident } from '../../src/store/ports/heartbeats.ts'
import { draft, START, StoreRig } from './support.ts'

const SILENCE_MS = 420_000
const MAX_RUN_MS = 3_600_000

/** Heartbeats of jobs, each named after its service. */
function rulesFor(...names: readonly string[]): HeartbeatRules {
  const settings = names.map((name) => ({
    name,
    where: '',
    conditions: [{ field: 'service', values: [name], where: '' }],
    everyMs: 300_000,
    graceMs: 120_000,
    maxRunMs: 120_000,
    severity: 'critical',
  }))
  return {
    of: new Map(names.map((name) => [name, { silenceMs: SILENCE_MS, graceMs: 120_000, maxRunMs: MAX_RUN_MS }])),
    listens: true,
    signsOfLife: openSignsOfLife(settings, () => []),
  }
}

function given(t: TestContext, ...names: readonly string[]) {
  let elapsedMs = 0
  const rig = new StoreRig(t, { channels: [], heartbeats: rulesFor(...names), elapsed: () => elapsedMs })
  const pass = (ms: number) => {
    elapsedMs += ms
    rig.now += ms
  }
  return { rig, pass }
}

const owed = ({ store }: StoreRig) => store.heartbeats.owed(0).map(({ name, status }) => [name, status])
const states = ({ store }: StoreRig) => store.heartbeats.states().map(({ name, state }) => [name, state])
const beat = (rig: StoreRig, service: string, changes: Partial<Draft> = {}) => rig.spill({ service, ...changes })

/** Applies the incident that is owed, as ingest commits it. */
function raise(rig: StoreRig, { name, status, key }: OwedIncident): void {
  rig.commit({ drafts: [draft({ source: 'heartbeat', service: name, status })], key })
}
function raiseAll(rig: StoreRig): void {
  for (const each of rig.store.heartbeats.owed(0)) raise(rig, each)
}

test('a heartbeat without a sign of life is missing, once, until the next one', (t) => {
  const { rig, pass } = given(t, 'backup', 'report')
  pass(SILENCE_MS - 1)
  beat(rig, 'backup')
  assert.deepEqual(owed(rig), [])
  pass(1)
  assert.deepEqual(owed(rig), [['report', 'firing']])
  raiseAll(rig)
  assert.deepEqual(states(rig), [
    ['backup', 'beating'],
    ['report', 'missing'],
  ])
  assert.deepEqual(owed(rig), [])
  beat(rig, 'report', { status: 'resolved' })
  assert.deepEqual(owed(rig), [['report', 'resolved']])
  raiseAll(rig)
  assert.deepEqual(owed(rig), [])
  const [, report] = rig.store.heartbeats.states()
  assert.deepEqual(report, {
    name: 'report',
    state: 'beating',
    heardAt: rig.now,
    missingSince: null,
    why: null,
    dueAt: rig.now + SILENCE_MS,
    runningSince: null,
    lastRunMs: null,
    lastPing: null,
    notJudgedAt: null,
  })
})

test('a sign of life that comes while the incident is under way resolves it', (t) => {
  const { rig, pass } = given(t, 'backup')
  pass(SILENCE_MS)
  const [firing] = rig.store.heartbeats.owed(0)
  assert.ok(firing)
  pass(1)
  beat(rig, 'backup')
  assert.deepEqual(owed(rig), [])
  raise(rig, firing)
  assert.deepEqual(owed(rig), [['backup', 'resolved']])
})

test('silence is measured anew from each start, and a missing heartbeat stays missing', (t) => {
  const { rig, pass } = given(t, 'backup', 'report')
  pass(SILENCE_MS - 1)
  beat(rig, 'backup')
  pass(1)
  raiseAll(rig)
  pass(24 * 3_600_000)
  rig.reopen()
  assert.deepEqual(owed(rig), [])
  assert.deepEqual(states(rig), [
    ['backup', 'beating'],
    ['report', 'missing'],
  ])
  pass(SILENCE_MS)
  assert.deepEqual(owed(rig), [['backup', 'firing']])
  beat(rig, 'report')
  rig.reopen()
  assert.deepEqual(owed(rig), [['report', 'resolved']])
})

test('a wall clock that is set makes nothing missing', (t) => {
  const { rig, pass } = given(t, 'backup')
  rig.now += 24 * 3_600_000
  assert.deepEqual(owed(rig), [])
  rig.now -= 48 * 3_600_000
  pass(SILENCE_MS)
  assert.deepEqual(owed(rig), [['backup', 'firing']])
})

test('signs of life that may wait in the journal hold the judgement back', (t) => {
  const { rig, pass } = given(t, 'backup')
  pass(SILENCE_MS + 5_000)
  assert.deepEqual(rig.store.heartbeats.owed(6_000), [])
  assert.equal(rig.store.heartbeats.owed(5_000).length, 1)
})

test('an incident of a heartbeat is no sign of life, and a forged key moves nothing', (t) => {
  const { rig, pass } = given(t, 'backup')
  rig.commit({ drafts: [draft({ service: 'other' })], key: `heartbeat firing ${START} backup` })
  assert.deepEqual(states(rig), [['backup', 'beating']])
  pass(SILENCE_MS)
  raiseAll(rig)
  assert.deepEqual(states(rig), [['backup', 'missing']])
})

test('a heartbeat that leaves the configuration is forgotten', (t) => {
  const { rig, pass } = given(t, 'backup')
  pass(SILENCE_MS - 1)
  beat(rig, 'backup')
  rig.reopen({ heartbeats: rulesFor('report') })
  assert.deepEqual([states(rig), owed(rig)], [[['report', 'beating']], []])
  rig.reopen()
  assert.deepEqual(rig.store.heartbeats.states()[0]?.heardAt, null)
})

test('one that leaves it while it is missing is resolved once, with its severity, also after a crash', (t) => {
  const { rig, pass } = given(t, 'backup')
  pass(SILENCE_MS)
  for (const { key } of rig.store.heartbeats.owed(0))
    rig.commit({ drafts: [draft({ source: 'heartbeat', service: 'backup', severity: 'high' })], key })
  rig.now += 1_000
  rig.turn({})
  for (const _ of [1, 2]) {
    rig.reopen({ heartbeats: rulesFor('report') })
    assert.deepEqual(states(rig), [['report', 'beating']])
    assert.deepEqual(
      rig.store.heartbeats.owed(0).map(({ name, status, left }) => [name, status, left]),
      [['backup', 'resolved', 'high']],
    )
  }
  const [resolution] = rig.store.heartbeats.owed(0)
  assert.ok(resolution)
  rig.failingAtCommit(() => assert.throws(() => raise(rig, resolution)))
  assert.equal(rig.store.heartbeats.owed(0).length, 1)
  raiseAll(rig)
  assert.deepEqual(owed(rig), [])
  rig.reopen()
  assert.deepEqual([states(rig), owed(rig)], [[['backup', 'beating']], []])
})

test('one that is configured again before its resolution is missing still', (t) => {
  const { rig, pass } = given(t, 'backup')
  pass(SILENCE_MS)
  raiseAll(rig)
  rig.reopen({ heartbeats: rulesFor('report') })
  rig.reopen()
  assert.deepEqual([states(rig), owed(rig)], [[['backup', 'missing']], []])
})

test('a disk that fails while a sign of life is applied has not heard it', (t) => {
  const { rig, pass } = given(t, 'backup')
  pass(SILENCE_MS)
  rig.failingAtCommit(() => assert.throws(() => beat(rig, 'backup')))
  assert.deepEqual(owed(rig), [['backup', 'firing']])
})
