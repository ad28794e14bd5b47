import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alert, loadOf } from '../../src/policy/bundles/lane.ts'
import { type StormParameters, stormParameters } from '../../src/policy/bundles/storm-parameters.ts'
import { APPLY_MS, kinds, START, TestDestination, ways } from './test-destination.ts'

const URGENT: Alert = { status: 'firing', priority: 'high', isNews: true, answersSingle: false }
const REPEAT: Alert = { status: 'firing', priority: 'normal', isNews: false, answersSingle: false }
const NEW: Alert = { ...REPEAT, isNews: true }
const PACE = { perSecond: 1, burst: 4 }
const LIMITS = { rate: PACE, reading: PACE, withinMs: 60_000, edits: true, maxBacklog: 100_000 }

test('alerts are singles until fourteen wait, and folded from then on', () => {
  const destination = setup()
  for (let n = 0; n < 14; n++) assert.deepEqual(destination.arrive(REPEAT), ['single'])
  assert.deepEqual(destination.arrive(REPEAT), ['open', 'fold'])
  assert.deepEqual(destination.arrive(REPEAT), ['fold'])
})

test('a storm counts the alerts since the commit of the one that ended the quiet', () => {
  const destination = setup()
  destination.arrive(REPEAT)
  destination.pass(60_000)
  destination.unfinished = { singles: 0, urgents: 0 }
  for (let n = 0; n < 14; n++) destination.arrive(REPEAT)
  assert.equal(destination.state.since, START + 60_000 - APPLY_MS)
})

test('messages that were just sent count as much as those that wait', () => {
  const destination = setup()
  for (let n = 0; n < 14; n++) destination.arrive(REPEAT)
  destination.unfinished = { singles: 0, urgents: 0 }
  assert.deepEqual(destination.arrive(REPEAT), ['open', 'fold'])
  const later = setup()
  for (let n = 0; n < 14; n++) later.arrive(REPEAT)
  later.unfinished = { singles: 0, urgents: 0 }
  later.pass(2_000)
  assert.equal(loadOf(later.state, later.unfinished, later.now, later.parameters), 12)
  assert.deepEqual(later.arrive(REPEAT), ['single'])
})

test('in a storm an urgent problem is a single while few urgent ones wait; the next one is posted within seconds', () => {
  const destination = inStorm()
  destination.tell()
  assert.deepEqual(destination.arrive(URGENT), ['single'])
  assert.deepEqual(destination.arrive(URGENT), ['single'])
  assert.deepEqual(destination.arrive(URGENT), ['fold'])
  assert.equal(destination.wakesIn(), 1_000, 'three seconds after the opening')
  destination.pass(1_000)
  const [revision] = destination.claim()
  assert.ok(revision?.kind === 'hand out')
  assert.deepEqual([revision.way, revision.urgent, revision.through], ['post', true, 2])
})

test('urgent posts come at longer and longer gaps while urgent alerts are folded', () => {
  const destination = inStorm()
  destination.unfinished = { singles: 20, urgents: 9 }
  const gaps: number[] = []
  for (let n = 0; n < 4; n++) {
    destination.arrive(URGENT)
    gaps.push(destination.wakesIn())
    destination.pass(destination.wakesIn())
    destination.tell()
  }
  assert.deepEqual(gaps, [2_000, 6_000, 10_000, 10_000])
})

test('a new problem is a single while the load allows it; repeats and resolutions are folded', () => {
  const destination = inStorm()
  assert.deepEqual(destination.arrive(NEW), ['fold'], 'the load is high')
  destination.unfinished = { singles: 0, urgents: 0 }
  destination.pass(20_000)
  assert.deepEqual(destination.arrive(NEW), ['single'])
  assert.deepEqual(destination.arrive({ ...NEW, priority: 'low' }), ['fold'])
  assert.deepEqual(destination.arrive({ ...REPEAT, status: 'resolved' }), ['fold'])
  assert.deepEqual(destination.arrive({ ...REPEAT, status: 'resolved', answersSingle: true }), ['single'])
})

test('an hour of a storm has a bounded number of urgent singles', () => {
  const destination = inStorm()
  destination.unfinished = { singles: 0, urgents: 0 }
  const ways = Array.from({ length: 61 }, () => {
    destination.unfinished = { singles: 0, urgents: 0 }
    return destination.arrive(URGENT)[0]
  })
  assert.equal(ways.filter((way) => way === 'single').length, 60)
  destination.pass(3_600_000)
  destination.unfinished = { singles: 0, urgents: 0 }
  assert.deepEqual(destination.arrive(URGENT), ['single'])
})

test('the first revision is posted, the next ones edit it, and after ten minutes one is posted again', () => {
  const destination = inStorm()
  assert.equal(destination.wakesIn(), 2_000)
  assert.equal(destination.tell(), 'post')
  destination.arrive(REPEAT)
  assert.equal(destination.wakesIn(), 10_000)
  assert.equal(destination.tell(), 'edit')
  for (let at = 0; at < 600_000; at += 30_000) {
    destination.pass(30_000)
    destination.arrive(REPEAT)
    if (at < 500_000) assert.equal(destination.tell(), 'edit')
  }
  assert.equal(destination.tell(), 'post')
})

test('without edits the time between posts doubles, up to what the bound leaves', () => {
  const destination = inStorm({ edits: false })
  const intervals: number[] = []
  for (let n = 0; n < 4; n++) {
    destination.tell()
    destination.arrive(REPEAT)
    intervals.push(destination.wakesIn())
  }
  assert.deepEqual(intervals, [15_000, 30_000, 45_000, 45_000])
})

test('a quarter of the quota is told at once', () => {
  const destination = inStorm({ maxBacklog: 400 })
  destination.tell()
  for (let n = 0; n < 99; n++) destination.arrive(REPEAT)
  assert.ok(destination.wakesIn() > 0)
  destination.arrive(REPEAT)
  assert.equal(destination.wakesIn(), 0)
})

test('a revision that fails keeps its number, covers more the next time and says when it may come twice', () => {
  const destination = inStorm()
  destination.pass(2_000)
  const [first] = destination.claim()
  assert.deepEqual(destination.claim(), [], 'one at a time')
  destination.settle({ state: 'pending', at: destination.now + 5_000, mayDuplicate: true })
  assert.equal(destination.wakesIn(), 5_000)
  destination.arrive(REPEAT)
  destination.apply({ kind: 'accepting' })
  assert.equal(destination.wakesIn(), 0)
  const [second] = destination.claim()
  assert.ok(first?.kind === 'hand out' && second?.kind === 'hand out')
  assert.deepEqual([first.revision, first.through, first.mayRepeat], [1, 1, false])
  assert.deepEqual([second.revision, second.through, second.mayRepeat], [1, 2, true])
  assert.deepEqual(destination.settle({ state: 'told' }), [{ kind: 'told', through: 2, revision: 1, way: 'post' }])
  destination.arrive(REPEAT)
  destination.pass(10_000)
  const [third] = destination.claim()
  assert.ok(third?.kind === 'hand out')
  assert.deepEqual([third.revision, third.mayRepeat], [2, false])
})

test('an edit whose message is gone is posted at once', () => {
  const destination = inStorm()
  destination.tell()
  destination.arrive(REPEAT)
  destination.pass(10_000)
  assert.deepEqual(ways(destination.claim()), ['edit'])
  destination.settle({ state: 'gone' })
  assert.equal(destination.wakesIn(), 0)
  assert.deepEqual(ways(destination.claim()), ['post'])
})

test('a refused revision ends the storm; the next alerts are singles or a new storm', () => {
  const destination = inStorm()
  destination.pass(2_000)
  destination.claim()
  assert.deepEqual(destination.settle({ state: 'dead' }), [{ kind: 'close', dead: true }])
  assert.deepEqual(destination.arrive(REPEAT), ['open', 'fold'], 'fourteen still wait')
})

test('a storm ends with a summary when it is a minute old and a minute was quiet', () => {
  const destination = inStorm()
  destination.tell()
  assert.equal(destination.wakesIn(), Infinity, 'fourteen singles wait')
  destination.unfinished = { singles: 0, urgents: 0 }
  assert.equal(destination.wakesIn(), 58_000)
  destination.pass(40_000)
  for (let n = 0; n < 40; n++) destination.arrive(REPEAT)
  assert.equal(destination.tell(), 'edit')
  assert.equal(destination.wakesIn(), 60_000)
  destination.pass(60_000)
  const [summary] = destination.claim()
  assert.ok(summary?.kind === 'hand out')
  assert.deepEqual([summary.last, summary.way], [true, 'edit'])
  assert.deepEqual(destination.settle({ state: 'told' }).at(-1), { kind: 'close', dead: false })
  assert.equal(destination.state.storm, undefined)
})

test('an alert that comes while the summary is sent keeps the storm open', () => {
  const destination = inStorm()
  destination.tell()
  destination.unfinished = { singles: 0, urgents: 0 }
  destination.pass(60_000)
  destination.claim()
  assert.deepEqual(destination.arrive(REPEAT), ['fold'])
  assert.deepEqual(kinds(destination.settle({ state: 'told' })), ['told'])
  assert.ok(destination.wakesIn() < Infinity)
})

test('switched off: what is folded is told by one last revision, and alerts are singles at once', () => {
  const destination = inStorm()
  destination.apply({ kind: 'ends', how: 'at once' })
  assert.deepEqual(destination.arrive(REPEAT), ['single'])
  const [last] = destination.claim()
  assert.ok(last?.kind === 'hand out' && last.last)
  assert.deepEqual(kinds(destination.settle({ state: 'told' })), ['told', 'close'])
})

test('switched off with nothing untold, a storm ends without a message', () => {
  const destination = inStorm()
  destination.tell()
  assert.deepEqual(destination.apply({ kind: 'ends', how: 'at once' }), [{ kind: 'close', dead: false }])
})

test('a start that finds more singles than may wait opens a storm for them', () => {
  const destination = setup()
  destination.unfinished = { singles: 50_000, urgents: 0 }
  const [open] = destination.machine.flood(destination.now)
  assert.ok(open?.kind === 'open')
  assert.equal(open.keep, 14)
  destination.apply({ kind: 'placed', count: 49_986, urgent: false })
  destination.pass(2_000)
  const [revision] = destination.claim()
  assert.ok(revision?.kind === 'hand out')
  assert.equal(revision.through, 49_986)
})

test('where a machine reads there are no storms', () => {
  const limits = { ...LIMITS, reading: { perSecond: 20, burst: 20 } }
  assert.notEqual(stormParameters(limits), undefined)
  assert.equal(stormParameters({ ...limits, reading: { perSecond: 20.1, burst: 20 } }), undefined)
})

test('a clock that is set moves no duration', () => {
  const destination = inStorm()
  destination.tell()
  destination.arrive(REPEAT)
  const before = destination.wakesIn()
  const load = () => loadOf(destination.state, { singles: 0, urgents: 0 }, destination.now, destination.parameters)
  const loadBefore = load()
  destination.machine.moveClock(-86_400_000, destination.now)
  destination.now -= 86_400_000
  assert.equal(destination.wakesIn(), before)
  assert.equal(load(), loadBefore)
})

function setup(changes: { edits?: boolean; maxBacklog?: number } = {}) {
  return new TestDestination(stormParameters({ ...LIMITS, ...changes }) as StormParameters)
}

/** Returns a destination with fourteen singles that wait and one folded alert. */
function inStorm(changes?: Parameters<typeof setup>[0]): TestDestination {
  const destination = setup(changes)
  for (let n = 0; n < 15; n++) destination.arrive(REPEAT)
  return destination
}
