import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMaintenance, type MaintenanceTask } from '../../../actors/store/maintenance.ts'
import { createIdleTasks, retryQuarantinedTask } from '../../../actors/store/maintenance-tasks.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import type { QuarantinedEntry } from '../../../src/store/ports/journal.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { draft, entryOf } from '../../store/support.ts'

/** A task with one step at each of the times. */
function stepsAt(name: string, times: number[], log: string[]): MaintenanceTask {
  return { name, due: () => times[0], run: () => void log.push(`${name} ${times.shift()}`) }
}

test('steps run in order of due time, across tasks', () => {
  const clock = new ManualClock()
  const log: string[] = []
  const maintenance = createMaintenance([stepsAt('a', [10, 40], log), stepsAt('b', [20, 30], log)], clock)
  maintenance.schedule()
  clock.advance(30)
  assert.deepEqual(log, ['a 10', 'b 20', 'b 30'])
  clock.advance(10)
  assert.deepEqual(log.at(-1), 'a 40')
})

test('each overdue step has a timer of its own, so that mail is handled in between', () => {
  const clock = new ManualClock()
  const log: string[] = []
  const maintenance = createMaintenance([stepsAt('a', [1], log), stepsAt('b', [1], log)], clock)
  clock.advance(5)
  maintenance.schedule()
  assert.deepEqual([log.length, clock.dueInMs], [0, [0]])
})

test('no timer runs while no task is due', () => {
  const clock = new ManualClock()
  const times: number[] = []
  const log: string[] = []
  const maintenance = createMaintenance([stepsAt('a', times, log)], clock)
  maintenance.schedule()
  assert.deepEqual(clock.dueInMs, [])
  times.push(10)
  maintenance.schedule()
  clock.advance(60_000)
  assert.deepEqual([log, clock.dueInMs], [['a 10'], []])
})

test('a step that is postponed before its time does not run', () => {
  const clock = new ManualClock()
  const times = [10]
  const log: string[] = []
  const maintenance = createMaintenance([stepsAt('a', times, log)], clock)
  maintenance.schedule()
  times[0] = 1_000
  clock.advance(500)
  assert.deepEqual(log, [])
  clock.advance(500)
  assert.deepEqual(log, ['a 1000'])
})

test('after closing nothing runs, not even when it is scheduled again', () => {
  const clock = new ManualClock()
  const log: string[] = []
  const maintenance = createMaintenance([stepsAt('a', [10, 20], log)], clock)
  maintenance.schedule()
  maintenance.close()
  maintenance.schedule()
  clock.advance(1_000)
  assert.deepEqual(log, [])
})

/** Idle tasks over a store with `rows` to prune, 256 a step. */
function givenIdle(rows: number) {
  const clock = new ManualClock()
  const state = { rows, pruneSteps: 0, checkpoints: 0, disk: 'good' as 'good' | 'full', refusals: 0 }
  const idle = createIdleTasks({
    clock,
    prune() {
      if (state.disk === 'full') throw new Error('full')
      state.pruneSteps++
      const pruned = Math.min(256, state.rows)
      state.rows -= pruned
      return pruned
    },
    checkpoint: () => ++state.checkpoints > 0,
    guarded(work) {
      try {
        work()
      } catch {
        state.refusals++
      }
    },
  })
  const maintenance = createMaintenance(idle.tasks, clock)
  /** The end of a turn of storage. */
  function turn(): void {
    idle.postpone()
    maintenance.schedule()
  }
  return { clock, state, turn }
}

test('a second after the last turn everything is pruned, then one checkpoint runs', () => {
  const { clock, state, turn } = givenIdle(1_000)
  for (let n = 0; n < 10; n++) {
    turn()
    clock.advance(900)
  }
  assert.equal(state.pruneSteps, 0)
  clock.advance(100)
  assert.deepEqual([state.rows, state.pruneSteps, state.checkpoints], [0, 5, 1])
  clock.advance(3_600_000)
  assert.deepEqual([state.pruneSteps, state.checkpoints], [5, 1])
})

test('idle work that the disk refuses is tried again each second, with a checkpoint between', () => {
  const { clock, state, turn } = givenIdle(1_000)
  state.disk = 'full'
  turn()
  clock.advance(3_000)
  assert.deepEqual([state.refusals, state.checkpoints], [3, 3])
  state.disk = 'good'
  clock.advance(60_000)
  assert.deepEqual([state.rows, state.refusals, state.checkpoints], [0, 3, 4])
})

test('entries of the quarantine are tried one by one, each when all else is applied, until none is left', () => {
  const clock = new ManualClock()
  const { frame } = entryOf(7, [{ drafts: [draft()] }])
  const quarantined: QuarantinedEntry[] = [
    { first: 7, last: 7, frame },
    { first: 3, last: 4, frame: entryOf(3, [{ drafts: [draft(), draft()] }]).frame },
  ]
  let journal: 'empty' | 'waiting' = 'waiting'
  const tried: unknown[] = []
  let applied = 0
  const task = retryQuarantinedTask({
    clock,
    recognise,
    journal: {
      nextQuarantined: () => quarantined.shift(),
      retry({ first }, entries) {
        tried.push([first, entries.map(({ kind }) => kind)])
        return first === 7
          ? { drafts: [], dispatches: [], oncall: [], folded: {}, nobody: 0, silenced: 0, decideMs: 0 }
          : undefined
      },
    },
    mayRetry: () => journal === 'empty',
    applied() {
      applied++
      journal = 'waiting'
    },
  })
  const maintenance = createMaintenance([task], clock)
  maintenance.schedule()
  clock.advance(1_000)
  assert.deepEqual(tried, [])
  const allApplied = () => {
    journal = 'empty'
    maintenance.schedule()
    clock.advance(1)
  }
  allApplied()
  assert.deepEqual([tried, applied], [[[7, ['ready']]], 1])
  allApplied()
  allApplied()
  assert.deepEqual(tried, [
    [7, ['ready']],
    [3, ['ready']],
  ])
  assert.equal(task.due(), undefined)
})

test('a disk that refuses ends the retries until the next start', () => {
  const clock = new ManualClock()
  let asked = 0
  const task = retryQuarantinedTask({
    clock,
    recognise,
    journal: {
      nextQuarantined: () => ({ first: ++asked, last: asked, frame: entryOf(asked, [{ drafts: [draft()] }]).frame }),
      retry() {
        throw new CodedError('storage_full')
      },
    },
    mayRetry: () => true,
    applied: () => assert.fail('nothing was applied'),
  })
  task.run()
  assert.deepEqual([asked, task.due()], [1, undefined])
})
