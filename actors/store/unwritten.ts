import type { Settlement } from '../../src/domain/commit.ts'
import type { PageSettlement } from '../../src/domain/oncall.ts'

/** What storage has learned and the disk has not. */
export interface ResultsToWrite {
  readonly settlements: readonly Settlement[]
  readonly pageSettlements: readonly PageSettlement[]
  /** What was handed out is to be handed out again. */
  readonly sendersLost: boolean
}

/** What the disk refused, until it takes it: nobody else remembers it, so it outlives the actor that writes it. */
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

  /** The debt and what has just come, in this order; the debt itself stays as it is. */
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

/** A settlement that cannot be written as it is: without its attempt, so that at least its delivery goes on. */
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
