import type { Progress } from '../../src/journal/progress.ts'
import type { Clock } from '../../src/kernel/clock.ts'

interface RoundsDeps {
  readonly clock: Pick<Clock, 'elapsed'>
  readonly progress: Pick<Progress, 'committed'>
  /** Least time between the begins of two rounds; 0: applying never waits. */
  roundMs(): number
}

/**
 * Applying in rounds, for a service that can send nothing of what it takes: nobody waits for its incidents, and retention
 * deletes most of a flood at once. Those need not be read at all, once enough newer ones are committed. States:
 *
 *     waiting   nothing is applied; leaves to running with `begin`, when the time since the last begin is over
 *     running   everything that was committed at the begin is applied; leaves to waiting
 */
export function createRounds({ clock, progress, roundMs }: RoundsDeps) {
  let [beganAt, end] = [-Infinity, 0]
  return {
    /** Returns the milliseconds until more than `applied` may be applied; 0: now. */
    waitMs: (applied: number): number => (applied < end ? 0 : Math.max(0, beganAt + roundMs() - clock.elapsed())),
    /** Begins a round, unless one is running or nothing is left to apply. */
    begin(applied: number): void {
      if (applied < end || progress.committed <= applied) return
      beganAt = clock.elapsed()
      end = progress.committed
    },
  }
}
