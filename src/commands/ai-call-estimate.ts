import { CallBudget } from '../analysis/call-budget.ts'
import type { Config } from '../config/schema.ts'
import type { Finding } from '../mining/contract.ts'

/** Counts what the model would have been asked: not twice within the cache's time, and no more an hour than it may be. */
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
