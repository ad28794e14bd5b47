/** Incidents in one window above which it is a flood; a window spans a few commits. */
const FLOOD = 100
const WINDOW_MS = 10
/** Incidents that a calm turn applies: about a millisecond, which the next commit waits for. */
const STEP = 128
/** Share of a flood that is applied while it lasts. Not more, so that deliveries that were due before still go out. */
const SHARE = 1 / 4
/**
 * Unapplied incidents above which a turn applies more than arrive, so that the journal does not grow any more. Two to
 * three seconds of work.
 */
const MAX_UNAPPLIED = 50_000

/**
 * Returns a function that sets how many incidents a turn applies (adaptive rate). Applying costs several times what
 * appending costs and no client waits for it, so in a flood it lags behind.
 *
 * `arrived`: incidents of this turn; `waiting`: unapplied incidents in all; `nowMs`: monotonic.
 */
export function createApplyRate(): (arrived: number, waiting: number, nowMs: number) => number {
  let window = { since: 0, arrived: 0, before: 0 }
  let share = 0

  function isFlood(arrived: number, nowMs: number): boolean {
    const age = nowMs - window.since
    if (age >= WINDOW_MS) window = { since: nowMs, arrived: 0, before: age < 2 * WINDOW_MS ? window.arrived : 0 }
    window.arrived += arrived
    return Math.max(window.arrived, window.before) > FLOOD
  }

  return (arrived, waiting, nowMs) => {
    const flood = isFlood(arrived, nowMs)
    if (waiting > MAX_UNAPPLIED) return STEP + arrived * (1 + SHARE)
    if (!flood) return Math.max(STEP, arrived)
    share += arrived * SHARE
    if (share < STEP / 2) return 0
    const due = share
    share = 0
    return due
  }
}
