import type { Clock, Timer } from '../../src/kernel/clock.ts'

interface PendingTimer {
  readonly dueAt: number
  readonly fire: () => void
}

/** A clock that stands still. Time passes with `advance` only, which fires due timers in order of their times. */
export class SimulatedClock implements Clock {
  #wall: number
  #elapsed = 0
  #pending = new Set<PendingTimer>()

  constructor(epochMs: number) {
    this.#wall = epochMs
  }
  now(): number {
    return this.#wall
  }
  elapsed(): number {
    return this.#elapsed
  }
  /** A delay above 24.8 days fires after 24.8 days. */
  setTimer(delayMs: number, fire: () => void): Timer {
    const pending = { dueAt: this.#elapsed + Math.max(0, delayMs), fire }
    this.#pending.add(pending)
    return { cancel: () => this.#pending.delete(pending) }
  }
  /** Also fires timers that are set by timers on the way. */
  advance(ms: number): void {
    const end = this.#elapsed + ms
    for (let next = this.#earliest(end); next; next = this.#earliest(end)) {
      this.#pending.delete(next)
      this.#move(next.dueAt)
      next.fire()
    }
    this.#move(end)
  }
  /** Delays until the pending timers fire, soonest first. */
  get dueInMs(): readonly number[] {
    return Array.from(this.#pending, ({ dueAt }) => dueAt - this.#elapsed).sort((a, b) => a - b)
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
