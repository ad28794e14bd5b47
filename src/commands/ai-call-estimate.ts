import { CallBudget } from '../analysis/detect-log.ts'
import type { Config } from '../config/complete.ts'
import type { Finding } from '../mining/contract.ts'

/** Counts the calls that the model would have got: none for a cached answer, and at most the hourly quota. */
export class AiCallEstimate {
  readonly #budget: CallBudget
  readonly #ttlMs: number
  readonly #callsAt = new Map<string, number>()
  calls = 0
  refused = 0

  constructor({ maxCallsPerHour, cacheTtlMs }: Config['agent']['ai']) {
    this.#budget = new CallBudget(maxCallsPerHour)
    this.#ttlMs = cacheTtlMs
  }

  /** Returns true when the model would have been called. */
  count({ kind, pattern }: Finding, atMs: number): boolean {
    const key = `${kind} ${pattern.id}`
    const before = this.#callsAt.get(key)
    if (before !== undefined && atMs - before < this.#ttlMs) return false
    const asked = this.#budget.tryUse(atMs)
    if (asked) this.#callsAt.set(key, atMs)
    this.calls += asked ? 1 : 0
    this.refused += asked ? 0 : 1
    return asked
  }
}
