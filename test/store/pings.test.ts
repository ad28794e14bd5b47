import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Ping } from '../../src/domain/heartbeat.ts'
import { cronStarts } from '../../src/policy/schedule.ts'
import type { HeartbeatRule, HeartbeatRules } from '../../src/store/heartbeats/rules.ts'
import type { OwedIncident } from '../../src/store/ports/heartbeats.ts'
import { draft, START, StoreRig } from './support.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const EVERY: HeartbeatRule = { silenceMs: 25 * HOUR, graceMs: HOUR, maxRunMs: 2 * HOUR }
/** START is at midnight. */
const NIGHTLY: HeartbeatRule = { ...EVERY, silenceMs: Infinity, times: cronStarts('0 3 * * *', 'UTC') }

const rulesOf = (rule: HeartbeatRule, name = 'backup'): HeartbeatRules => ({
  of: new Map([[name, rule]]),
  listens: false,
  signsOfLife: () => [],
})

function given(t: TestContext, rule: HeartbeatRule) {
  let elapsedMs = 0
  const rig = new StoreRig(t, { channels: [], heartbeats: rulesOf(rule), elapsed: () => elapsedMs })
  const raise = ({ name, status, key }: OwedIncident) =>
    rig.commit({ drafts: [draft({ source: 'heartbeat', service: name, status })], key })
  return {
    rig,
    raise,
    /** Time in which the service is up: it is asked each minute. */
    pass(ms: number) {
      for (let left = ms; left > 0; left -= MINUTE) {
        elapsedMs += Math.min(left, MINUTE)
        rig.now += Math.min(left, MINUTE)
        rig.store.heartbeats.stayAlive()
      }
    },
    /** Time in which it is down. */
    down(ms: number) {
      elapsedMs += ms
      rig.now += ms
      rig.reopen()
    },
    ping: (signal: Ping['signal'], more: Partial<Ping> = {}) =>
      rig.store.heartbeats.ping([{ heartbeat: 'backup', signal, at: rig.now, ...more }]),
    owed: () => rig.store.heartbeats.owed(0).map(({ status, why }) => [status, why.kind]),
    raiseAll(): readonly (readonly [string, string, number | undefined, string | undefined])[] {
      const raised: [string, string, number | undefined, string | undefined][] = []
      for (let owed = rig.store.heartbeats.owed(0); owed.length > 0; owed = rig.store.heartbeats.owed(0))
        for (const each of owed) {
          const status = each.why.kind === 'failure' ? each.why.exitStatus : undefined
          raised.push([each.status, each.why.kind, status, each.output])
          raise(each)
        }
      return raised
    },
    state: () => rig.store.heartbeats.states()[0],
  }
}

test('a failure is raised once with its status and output, also after a crash, and a success resolves it', (t) => {
  const { rig, ping, raiseAll, owed, state } = given(t, EVERY)
  assert.deepEqual(ping('failure', { exitStatus: 3, output: 'disk full' }), [true])
  rig.reopen()
  assert.equal(state()?.state, 'failed')
  assert.deepEqual(raiseAll(), [['firing', 'failure', 3, 'disk full']])
  ping('failure', { exitStatus: 4 })
  rig.reopen()
  assert.deepEqual([owed(), state()?.why], [[], { kind: 'failure', exitStatus: 4 }])
  ping('success')
  assert.equal(state()?.state, 'back')
  rig.reopen()
  assert.deepEqual(
    raiseAll().map(([status]) => status),
    ['resolved'],
  )
  assert.deepEqual([state()?.state, state()?.why, state()?.missingSince], ['beating', null, null])
})

test('each failure after a success is raised, however fast they follow', (t) => {
  const { rig, ping, raiseAll } = given(t, EVERY)
  for (const signal of ['failure', 'success', 'failure', 'success'] as const) {
    ping(signal)
    rig.now += 1
    rig.reopen()
  }
  assert.deepEqual(
    raiseAll().map(([status]) => status),
    ['firing', 'resolved', 'firing', 'resolved'],
  )
})

test('a failure that comes while a resolution is under way is raised after it', (t) => {
  const { rig, raise, ping, raiseAll, state } = given(t, EVERY)
  ping('failure')
  raiseAll()
  ping('success')
  const [resolution] = rig.store.heartbeats.owed(0)
  assert.ok(resolution)
  ping('failure', { exitStatus: 2 })
  raise(resolution)
  assert.deepEqual(raiseAll(), [['firing', 'failure', 2, undefined]])
  assert.equal(state()?.state, 'failed')
})

test('a run is measured, also over a crash, and one that does not end in time is overrun', (t) => {
  const { rig, ping, pass, raiseAll, owed, state } = given(t, EVERY)
  ping('start')
  pass(HOUR)
  rig.reopen()
  assert.equal(state()?.runningSince, START)
  ping('success')
  assert.deepEqual([state()?.lastRunMs, state()?.runningSince], [HOUR, null])
  ping('start')
  pass(2 * HOUR - 1)
  rig.reopen()
  assert.deepEqual(owed(), [])
  pass(1)
  assert.deepEqual(raiseAll(), [['firing', 'overrun', undefined, undefined]])
  assert.deepEqual([state()?.state, owed()], ['overrun', []])
  ping('success', { run: 'another' })
  assert.deepEqual(
    raiseAll().map(([status]) => status),
    ['resolved'],
  )
  pass(HOUR)
  assert.deepEqual([state()?.state, owed()], ['beating', []])
})

test('runs are told apart by their names; a failure ends any', (t) => {
  const { ping, pass, state } = given(t, EVERY)
  ping('start', { run: 'a' })
  pass(MINUTE)
  ping('success', { run: 'b' })
  assert.deepEqual([state()?.runningSince, state()?.lastRunMs], [START, null])
  pass(MINUTE)
  ping('success', { run: 'a' })
  assert.deepEqual([state()?.runningSince, state()?.lastRunMs], [null, 2 * MINUTE])
  ping('start', { run: 'c' })
  ping('failure', { run: 'd' })
  assert.deepEqual([state()?.runningSince, state()?.lastRunMs], [null, 2 * MINUTE])
})

test('a run that begins again and again without an end hides no silence', (t) => {
  const { ping, pass, owed } = given(t, { ...EVERY, maxRunMs: 48 * HOUR })
  for (const _ of [1, 2]) {
    ping('start')
    pass(24 * HOUR)
  }
  assert.deepEqual(owed(), [['firing', 'silence']])
})

test('a log is shown and changes nothing, and an unknown heartbeat is told', (t) => {
  const { rig, ping, state } = given(t, EVERY)
  assert.deepEqual(ping('log', { output: 'half done' }), [true])
  assert.deepEqual([state()?.lastPing?.signal, rig.store.heartbeats.outputOf('backup')], ['log', 'half done'])
  assert.deepEqual([state()?.heardAt, state()?.state], [null, 'beating'])
  assert.deepEqual(rig.store.heartbeats.ping([{ heartbeat: 'other', signal: 'success', at: rig.now }]), [false])
})

test('a time of day is due by the wall clock, also behind a restart each night', (t) => {
  const { rig, ping, pass, owed, state } = given(t, NIGHTLY)
  assert.equal(state()?.dueAt, START + 4 * HOUR)
  pass(3 * HOUR)
  ping('success')
  assert.equal(state()?.dueAt, START + DAY + 4 * HOUR)
  pass(DAY - HOUR)
  rig.reopen()
  pass(2 * HOUR - 1)
  assert.deepEqual(owed(), [])
  pass(1)
  assert.deepEqual(owed(), [['firing', 'silence']])
})

test('one that was never heard is due at its first time after it was configured, whatever restarts come', (t) => {
  const { rig, pass, owed } = given(t, NIGHTLY)
  pass(3 * HOUR + 30 * MINUTE)
  rig.reopen()
  pass(30 * MINUTE)
  assert.deepEqual(owed(), [['firing', 'silence']])
})

test('a time is not judged when the service was down for two minutes of it, and that is shown', (t) => {
  const { rig, pass, down, owed, state } = given(t, NIGHTLY)
  pass(3 * HOUR + 10 * MINUTE)
  down(2 * MINUTE)
  assert.equal(state()?.notJudgedAt, START + 3 * HOUR)
  rig.reopen()
  pass(2 * HOUR)
  assert.deepEqual([owed(), state()?.notJudgedAt, state()?.dueAt], [[], null, START + DAY + 4 * HOUR])
})

test('a shorter time in which it was down, and one before the time, judge it', (t) => {
  const { pass, down, owed, state } = given(t, NIGHTLY)
  pass(HOUR)
  down(HOUR)
  pass(HOUR + 10 * MINUTE)
  down(MINUTE)
  pass(49 * MINUTE)
  assert.deepEqual([owed(), state()?.notJudgedAt], [[['firing', 'silence']], null])
})

test('what was due before the service went down is judged, and of a long downtime only what follows', (t) => {
  const { rig, pass, down, owed, raiseAll, ping, state } = given(t, NIGHTLY)
  pass(4 * HOUR)
  down(10 * DAY)
  assert.deepEqual(owed(), [['firing', 'silence']])
  ping('success')
  raiseAll()
  down(10 * DAY)
  assert.deepEqual([owed(), state()?.notJudgedAt], [[], START + 11 * DAY + 3 * HOUR])
  assert.equal(state()?.dueAt, START + 21 * DAY + 4 * HOUR)
  assert.equal(rig.now, START + 20 * DAY + 4 * HOUR)
})

test('a disk that fails while a ping is written has not heard it', (t) => {
  const { rig, ping, owed, state } = given(t, EVERY)
  rig.failingAtCommit(() => assert.throws(() => ping('failure')))
  assert.deepEqual([owed(), state()?.state], [[], 'beating'])
})

test('a failure whose heartbeat leaves the configuration is raised and resolved', (t) => {
  const { rig, ping } = given(t, EVERY)
  ping('failure')
  rig.reopen({ heartbeats: rulesOf(EVERY, 'report') })
  for (const status of ['firing', 'resolved']) {
    const [owed] = rig.store.heartbeats.owed(0)
    assert.equal(owed?.status, status)
    rig.commit({ drafts: [draft({ source: 'heartbeat', service: 'backup', status: owed.status })], key: owed.key })
  }
  assert.deepEqual(rig.store.heartbeats.owed(0), [])
})

test('times of another cron count from its first start on', (t) => {
  const { rig, ping, pass, owed, state } = given(t, { ...NIGHTLY, cron: '0 3 * * *' })
  pass(3 * HOUR + 5 * MINUTE)
  ping('success')
  pass(7 * HOUR)
  const later = { ...NIGHTLY, times: cronStarts('0 5 * * *', 'UTC'), cron: '0 5 * * *' }
  rig.reopen({ heartbeats: rulesOf(later) })
  rig.reopen({ heartbeats: rulesOf(later) })
  assert.deepEqual([owed(), state()?.dueAt], [[], START + DAY + 6 * HOUR])
  pass(20 * HOUR)
  assert.deepEqual(owed(), [['firing', 'silence']])
})

test('a clock that was far ahead for a while hides a later silence for one time at most', (t) => {
  for (const during of ['nothing', 'a ping']) {
    const { rig, ping, pass, owed, state } = given(t, NIGHTLY)
    pass(HOUR)
    rig.now += 3_650 * DAY
    if (during === 'a ping') ping('success')
    pass(MINUTE)
    rig.now -= 3_650 * DAY
    pass(MINUTE)
    assert.equal(state()?.dueAt, START + DAY + 4 * HOUR, during)
    pass(DAY + 3 * HOUR)
    assert.deepEqual(owed(), [['firing', 'silence']], during)
  }
})

test('a clock that is set back behind the time of a ping asks for no second one', (t) => {
  const { rig, ping, pass, owed, state } = given(t, NIGHTLY)
  pass(3 * HOUR + 5 * MINUTE)
  ping('success')
  rig.now -= HOUR
  pass(3 * HOUR)
  assert.deepEqual([owed(), state()?.dueAt], [[], START + DAY + 4 * HOUR])
})
