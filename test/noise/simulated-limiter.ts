import type { StormLimits } from '../../src/policy/bundles/storm-parameters.ts'
import type { HandOut } from '../policy/storm-machine.ts'
import type { Alert } from './simulation-report.ts'

export interface Single extends Alert {
  readonly rank: number
}

export interface Job {
  readonly single?: Single
  readonly revision?: HandOut
  readonly urgent: boolean
}

/** The limiter: the digest goes first, then urgent singles. After three of these in a row another single has its turn. */
export class Limiter {
  readonly digest: Job[] = []
  readonly urgent: Job[] = []
  readonly normal: Job[] = []
  readonly #rate: StormLimits['rate']
  #tokens: number
  #countedAt = 0
  #inRow = 0

  constructor(rate: StormLimits['rate']) {
    this.#rate = rate
    this.#tokens = rate.burst
  }

  /** Returns the queue that goes next and the tokens that it needs. */
  #next(reserved: number): { queue: Job[]; tokens: number } | undefined {
    if (this.#inRow >= 3 && this.normal.length > 0) return { queue: this.normal, tokens: 1 }
    if (this.digest.length > 0) return { queue: this.digest, tokens: 1 }
    if (this.urgent.length > 0) return { queue: this.urgent, tokens: 1 }
    return this.normal.length > 0 ? { queue: this.normal, tokens: 1 + reserved } : undefined
  }

  readyAt(now: number, reserved: number): number {
    const next = this.#next(reserved)
    if (next === undefined) return Infinity
    this.#count(now)
    return now + (Math.max(0, next.tokens - this.#tokens) / this.#rate.perSecond) * 1_000
  }

  take(now: number, reserved: number): Job | undefined {
    const next = this.#next(reserved)
    this.#count(now)
    if (next === undefined || this.#tokens < next.tokens - 1e-6) return undefined
    this.#tokens--
    this.#inRow = next.queue === this.normal ? 0 : this.#inRow + 1
    return next.queue.shift()
  }

  #count(now: number): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + ((now - this.#countedAt) * this.#rate.perSecond) / 1_000)
    this.#countedAt = now
  }
}
