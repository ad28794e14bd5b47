import { Budget } from '../analysis/budget.ts'
import type { AgentConfig } from '../config/schema.ts'
import type { Finding } from '../mining/contract.ts'

/** Counts what the model would have been asked: not twice within the cache's time, and no more an hour than it may be. */
export class Asks {
  readonly #budget: Budget
  readonly #ttlMs: number
  readonly #askedAt = new Map<string, number>()
  calls = 0
  refused = 0

  constructor({ maxCallsPerHour, cacheTtlMs }: AgentConfig['ai']) {
    this.#budget = new Budget(maxCallsPerHour)
    this.#ttlMs = cacheTtlMs
  }

  ask({ kind, pattern }: Finding, atMs: number): boolean {
    const key = `${kind} ${pattern.id}`
    const before = this.#askedAt.get(key)
    if (before !== undefined && atMs - before < this.#ttlMs) return false
    const asked = this.#budget.take(atMs)
    if (asked) this.#askedAt.set(key, atMs)
    this.calls += asked ? 1 : 0
    this.refused += asked ? 0 : 1
    return asked
  }
}
