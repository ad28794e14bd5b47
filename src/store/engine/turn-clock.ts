/** The time of the store, which stands still during a turn: what was not due when it began is not due within it. */
export type TurnClock = ReturnType<typeof createTurnClock>

export function createTurnClock(now: () => number) {
  let standingAt: number | undefined
  return {
    /** Epoch milliseconds. */
    now: (): number => standingAt ?? now(),
    /** Runs `work` at one moment. */
    standing<T>(work: () => T): T {
      standingAt = now()
      try {
        return work()
      } finally {
        standingAt = undefined
      }
    },
  }
}
