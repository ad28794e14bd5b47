import type { Progress } from '../../src/journal/progress.ts'
import type { Clock } from '../../src/kernel/clock.ts'

interface RoundsDeps {
  readonly clock: Pick<Clock, 'elapsed'>
  readonly progress: Pick<Progress, 'committed'>
}

/** A smaller round is followed by no rest: a person who posts by hand finds the incident in the list at once. */
const MIN_INCIDENTS = 64
/** From the begin of a round to the begin of the next one, for each incident of the round, and at most. */
const REST_MS = 4
const MAX_REST_MS = 400

/**
 * Applying in rounds, for a service that can send nothing of what it takes: nobody waits for its incidents, and retention
 * deletes most of a flood at once. Those need not be read at all, once enough newer ones are committed. So a round is
 * followed by a rest in which more of them gather, the longer, the larger it was. States:
 *
 *     resting   nothing is applied; leaves to running with `turn`, when the rest is over
 *     running   everything that was committed at the begin is applied; leaves to resting
 */
export function createRounds({ clock, progress }: RoundsDeps) {
  let [end, restUntil] = [0, -Infinity]
  return {
    /** Returns the milliseconds until more than `applied` may be applied; 0: now. */
    waitMs: (applied: number): number => (applied < end ? 0 : Math.max(0, restUntil - clock.elapsed())),
    /** Something above `applied` is about to be applied, if anything is committed. `rests`: a rest may follow. */
    turn(applied: number, rests: boolean): void {
      if (applied < end) return
      end = progress.committed
      const incidents = end - applied
      restUntil =
        rests && incidents >= MIN_INCIDENTS ? clock.elapsed() + Math.min(MAX_REST_MS, incidents * REST_MS) : -Infinity
    },
  }
}
