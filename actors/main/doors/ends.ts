import type { Clock } from '../../../src/kernel/clock.ts'
import type { NamedProblem } from '../../../src/store/ports/problems.ts'
import type { Committed } from './submit.ts'

/** Longer than a look-up of a problem may be under way. */
const KEPT_MS = 10_000

interface End {
  readonly committed: Promise<Committed>
  readonly at: number
}

/**
 * Commits the end of a problem once, however many requests ask for it at the same time: a look-up that began before the
 * commit still finds the problem firing. The key is its latest incident, so one that comes in between can be ended, too.
 */
export class Ends {
  readonly #clock: Pick<Clock, 'elapsed'>
  /** By the latest incident of the problem, oldest first. */
  readonly #ends = new Map<string, End>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Rejects as `commit` does; the next request tries again. */
  commit({ lastId }: Pick<NamedProblem, 'lastId'>, commit: () => Promise<Committed>): Promise<Committed> {
    const now = this.#clock.elapsed()
    for (const [key, { at }] of this.#ends) {
      if (now - at < KEPT_MS) break
      this.#ends.delete(key)
    }
    const known = this.#ends.get(lastId)
    if (known !== undefined) return known.committed
    const committed = commit().catch((error) => {
      this.#ends.delete(lastId)
      throw error
    })
    this.#ends.set(lastId, { committed, at: now })
    return committed
  }
}
