/** More than so many in one window is a flood; a window is a few commits long. */
const FLOOD = 100
const WINDOW_MS = 10
/** Incidents filed in a turn: about a millisecond, which a commit may have to wait for. */
const STEP = 128
/** The share of a flood that is filed while it lasts: what floods in must not keep what came before from going out. */
const SHARE = 1 / 4
/** Committed and not filed: from here on no more come than are filed. Two to three seconds' work. */
const MAX_UNAPPLIED = 50_000

/**
 * How many incidents a turn files. Filing costs several times what committing does and nobody's answer depends on it, so in a flood it lags
 * behind. `came`: with this turn; `waiting`: in all; `nowMs` goes forward.
 */
export function createApplyRate(): (arrived: number, waiting: number, nowMs: number) => number {
  let window = { since: 0, came: 0, before: 0 }
  let share = 0

  function isFlood(arrived: number, nowMs: number): boolean {
    const age = nowMs - window.since
    if (age >= WINDOW_MS) window = { since: nowMs, came: 0, before: age < 2 * WINDOW_MS ? window.came : 0 }
    window.came += arrived
    return Math.max(window.came, window.before) > FLOOD
  }

  return (came, waiting, nowMs) => {
    const flood = isFlood(came, nowMs)
    if (waiting > MAX_UNAPPLIED) return STEP + came * (1 + SHARE)
    if (!flood) return Math.max(STEP, came)
    share += came * SHARE
    if (share < STEP / 2) return 0
    const due = share
    share = 0
    return due
  }
}
