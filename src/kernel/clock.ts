export interface Timer {
  /** Does nothing when the timer has fired. */
  cancel(): void
}

/** Time for actors: they read it nowhere else, so that tests can set it. */
export interface Clock {
  /** Epoch milliseconds; may jump when the machine's clock is set. */
  now(): number
  /** Monotonic milliseconds, for durations. */
  elapsed(): number
  /** A delay above 24.8 days fires after 24.8 days. */
  setTimer(delayMs: number, fire: () => void): Timer
}

/** Longest delay of `setTimeout`; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  /** A delay above 24.8 days fires after 24.8 days. */
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Monotonic milliseconds since the machine started; equal on all threads. */
export const sinceBootMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

/** Smaller differences are corrections by NTP, which slews the clock while it runs. */
const SMALLEST_JUMP_MS = 1_000

/**
 * Returns a function that returns by how many milliseconds the wall clock was set since its call before: positive for
 * forward, negative for back, 0 when it was not set.
 */
export function createJumpDetector(clock: Clock): () => number {
  let offset = clock.now() - clock.elapsed()
  return () => {
    const jumpMs = clock.now() - clock.elapsed() - offset
    if (Math.abs(jumpMs) < SMALLEST_JUMP_MS) return 0
    offset += jumpMs
    return Math.round(jumpMs)
  }
}
