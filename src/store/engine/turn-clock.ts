/** The time of the store, which stands still during a turn: what was not due when it began is not due within it. */
export interface TurnClock {
  /** Epoch milliseconds. */
  now(): number
  /** Runs `work` at one moment. */
  standing<T>(work: () => T): T
}

export function createTurnClock(now: () => number): TurnClock {
  let standingAt: number | undefined
  return {
    now: () => standingAt ?? now(),
    standing(work) {
      standingAt = now()
      try {
        return work()
      } finally {
        standingAt = undefined
      }
    },
  }
}
