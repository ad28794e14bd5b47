/** A timer that has not fired yet. */
export interface Timer {
  /** Safe to call after it fired. */
  cancel(): void
}

/** Time as actors see it; they never read it anywhere else. */
export interface Clock {
  /** Epoch milliseconds; may jump when the machine's clock is set. */
  now(): number
  /** Milliseconds that only ever grow, for durations. */
  elapsed(): number
  setTimer(delayMs: number, fire: () => void): Timer
}

/** Delays beyond what one timer holds are clamped: whoever sleeps that long looks again when it fires. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Milliseconds that only ever grow, and are the same on all threads. */
export const sinceBootMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

/** What a clock is corrected by as it runs; a larger difference between both times means that somebody has set it. */
const SMALLEST_JUMP_MS = 1_000

/** Each call says by how many milliseconds the wall clock was set forward (or back) since the call before; 0: it was left alone. */
export function createJumpDetector(clock: Clock): () => number {
  let offset = clock.now() - clock.elapsed()
  return () => {
    const jumpMs = clock.now() - clock.elapsed() - offset
    if (Math.abs(jumpMs) < SMALLEST_JUMP_MS) return 0
    offset += jumpMs
    return Math.round(jumpMs)
  }
}

interface PendingTimer {
  readonly dueAt: number
  readonly fire: () => void
}

/** The clock of tests: it stands still until `advance` moves it, and fires what became due in order of due time. */
export class ManualClock implements Clock {
  #wall: number
  #elapsed = 0
  #pending = new Set<PendingTimer>()

  constructor(epochMs = 1_700_000_000_000) {
    this.#wall = epochMs
  }
  now(): number {
    return this.#wall
  }
  elapsed(): number {
    return this.#elapsed
  }
  setTimer(delayMs: number, fire: () => void): Timer {
    const pending = { dueAt: this.#elapsed + Math.max(0, delayMs), fire }
    this.#pending.add(pending)
    return { cancel: () => this.#pending.delete(pending) }
  }
  /** Timers set by timers that fire on the way are honoured too. */
  advance(ms: number): void {
    const end = this.#elapsed + ms
    for (let next = this.#earliest(end); next; next = this.#earliest(end)) {
      this.#pending.delete(next)
      this.#move(next.dueAt)
      next.fire()
    }
    this.#move(end)
  }
  /** How far away each timer is that has not fired, soonest first. */
  get dueInMs(): readonly number[] {
    return Array.from(this.#pending, ({ dueAt }) => dueAt - this.#elapsed).sort((a, b) => a - b)
  }
  /** Sets the wall clock without any time passing, as an operator or NTP does. */
  jump(ms: number): void {
    this.#wall += ms
  }
  #move(to: number) {
    this.#wall += Math.max(0, to - this.#elapsed)
    this.#elapsed = Math.max(to, this.#elapsed)
  }
  #earliest(end: number): PendingTimer | undefined {
    let first: PendingTimer | undefined
    for (const each of this.#pending) if (each.dueAt <= end && (!first || each.dueAt < first.dueAt)) first = each
    return first
  }
}
