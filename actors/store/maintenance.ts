import type { Clock, Timer } from '../../src/kernel/clock.ts'

/** Work of the store thread that waits for a moment between turns. */
export interface MaintenanceTask {
  readonly name: string
  /**
   * Returns the time of the next step in monotonic milliseconds, which may be past; undefined: nothing to do. Cheap:
   * asked after each turn.
   */
  due(): number | undefined
  /**
   * Does one step. It is bounded by rows and takes a few milliseconds: SQLite cannot be interrupted, so a time budget
   * could not be kept.
   */
  run(): void
}

/**
 * Runs the tasks of a list, the earliest due first and the first of the list among equals. Commits come first: each
 * step has a timer of its own, so that mail which arrived during a step is handled before the next one.
 */
export function createMaintenance(tasks: readonly MaintenanceTask[], clock: Clock) {
  let state: 'open' | 'closed' = 'open'
  let timer: Timer | undefined

  /** Sets the timer anew. Call it after each turn, and whenever a task may be due earlier than before. */
  function schedule(): void {
    timer?.cancel()
    const next = state === 'open' ? earliest(tasks) : undefined
    timer = next && clock.setTimer(Math.ceil(next.at - clock.elapsed()), runNext)
  }

  function runNext(): void {
    const next = earliest(tasks)
    if (next && next.at <= clock.elapsed()) next.task.run()
    schedule()
  }

  return {
    schedule,
    close(): void {
      state = 'closed'
      timer?.cancel()
    },
  }
}

function earliest(tasks: readonly MaintenanceTask[]) {
  const due = tasks.map((task) => ({ task, at: task.due() ?? Infinity })).filter(({ at }) => at < Infinity)
  return due.sort((one, other) => one.at - other.at)[0]
}
