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
 *     waiting   nothing is applied; leaves to running when the time since the begin of the last round is over
 *     running   everything that was committed at the begin is applied; leaves to waiting
 */
export function createRounds({ clock, progress, roundMs }: RoundsDeps) {
  let [beganAt, end] = [-Infinity, 0]
  return {
    /** Returns the milliseconds until more than `applied` may be applied; 0: now. Begins a round that is due. */
    waitMs(applied: number): number {
      const now = clock.elapsed()
      if (applied < end) return 0
      const waitMs = beganAt + roundMs() - now
      if (waitMs > 0) return waitMs
      if (progress.committed <= applied) return 0
      beganAt = now
      end = progress.committed
      return 0
    },
  }
}
