import type { Settlement } from '../../src/domain/commit.ts'
import type { PageSettlement } from '../../src/domain/oncall.ts'

/** Results of sends that are to be written. */
export interface ResultsToWrite {
  readonly settlements: readonly Settlement[]
  readonly pageSettlements: readonly PageSettlement[]
  /** The senders died: their leases are to be ended. */
  readonly sendersLost: boolean
}

/**
 * Retry buffer for results that the disk refused. Results exist nowhere else, so the buffer outlives the actor that
 * writes it. Bounded by the number of leases.
 */
export class UnwrittenResults implements ResultsToWrite {
  #results: ResultsToWrite = NO_RESULTS

  get settlements(): readonly Settlement[] {
    return this.#results.settlements
  }
  get pageSettlements(): readonly PageSettlement[] {
    return this.#results.pageSettlements
  }
  get sendersLost(): boolean {
    return this.#results.sendersLost
  }
  get isEmpty(): boolean {
    return this.#results === NO_RESULTS
  }

  /** Returns the buffered results followed by `results`, and changes nothing. */
  merge({ settlements, pageSettlements, sendersLost }: ResultsToWrite): ResultsToWrite {
    return {
      settlements: [...this.#results.settlements, ...settlements],
      pageSettlements: [...this.#results.pageSettlements, ...pageSettlements],
      sendersLost: this.#results.sendersLost || sendersLost,
    }
  }

  retain(results: ResultsToWrite): void {
    this.#results =
      results.settlements.length > 0 || results.pageSettlements.length > 0 || results.sendersLost ? results : NO_RESULTS
  }

  clear(): void {
    this.#results = NO_RESULTS
  }
}

const NO_RESULTS: ResultsToWrite = { settlements: [], pageSettlements: [], sendersLost: false }

/**
 * Drops the attempt of a settlement that could not be written, so that its delivery still moves on. Pending ones wait a
 * second.
 */
export function withoutAttempt({ incident, channel, verdict }: Settlement, now: number): Settlement {
  return { incident, channel, verdict: later(verdict, now) }
}
export function pageWithoutAttempt({ incident, verdict }: PageSettlement, now: number): PageSettlement {
  return { incident, verdict: later(verdict, now) }
}
function later(verdict: PageSettlement['verdict'], now: number): PageSettlement['verdict'] {
  return verdict.state === 'sent' || verdict.state === 'dead' ? verdict : { state: 'pending', at: now + RETRY_PAUSE_MS }
}
const RETRY_PAUSE_MS = 1_000
