import type { Clock, Timer } from '../../../src/kernel/clock.ts'

interface Held {
  readonly delayMs: number
  readonly fire: () => void
}

/** Real time; the test fires the timers. */
export class HeldClock implements Clock {
  #held: Held[] = []
  #awaited: { readonly delayMs: number; readonly resolve: (fire: () => void) => void }[] = []
  #ahead = 0

  now(): number {
    return Date.now()
  }
  elapsed(): number {
    return performance.now() + this.#ahead
  }
  /** Advances `elapsed`; fires no timer. */
  passes(ms: number): void {
    this.#ahead += ms
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const held = { delayMs, fire }
    const at = this.#awaited.findIndex((awaited) => awaited.delayMs === delayMs)
    if (at >= 0) this.#awaited.splice(at, 1)[0]?.resolve(() => this.#fire(held))
    this.#held.push(held)
    return { cancel: () => this.#drop(held) }
  }

  get delaysMs(): readonly number[] {
    return this.#held.map(({ delayMs }) => delayMs)
  }

  /** Resolves with the callback of the oldest timer with that delay, as soon as one is set. */
  timer(delayMs: number): Promise<() => void> {
    const held = this.#held.find((each) => each.delayMs === delayMs)
    if (held) return Promise.resolve(() => this.#fire(held))
    return new Promise((resolve) => this.#awaited.push({ delayMs, resolve }))
  }

  #drop(held: Held): boolean {
    const at = this.#held.indexOf(held)
    if (at >= 0) this.#held.splice(at, 1)
    return at >= 0
  }
  #fire(held: Held): void {
    if (this.#drop(held)) held.fire()
  }
}
