import { keyOf, type Settlement } from '../../src/domain/delivery/dispatch.ts'

/** Results of sends that are to be written. */
export interface ResultsToWrite {
  readonly settlements: readonly Settlement[]
  /** The senders died: their leases are to be ended. */
  readonly sendersLost: boolean
}

/**
 * Retry buffer for results that the disk refused. Results exist nowhere else, so the buffer outlives the actor that
 * writes it. Bounded by the number of leases.
 */
export class UnwrittenResults {
  #results: ResultsToWrite = NO_RESULTS

  get isEmpty(): boolean {
    return this.#results === NO_RESULTS
  }

  /** Returns the buffered results followed by `results`, and changes nothing. */
  merge({ settlements, sendersLost }: ResultsToWrite): ResultsToWrite {
    return {
      settlements: [...this.#results.settlements, ...settlements],
      sendersLost: this.#results.sendersLost || sendersLost,
    }
  }

  retain(results: ResultsToWrite): void {
    this.#results = results.settlements.length > 0 || results.sendersLost ? results : NO_RESULTS
  }

  clear(): void {
    this.#results = NO_RESULTS
  }
}

const NO_RESULTS: ResultsToWrite = { settlements: [], sendersLost: false }

/**
 * Drops the attempt of a settlement that could not be written, so that its dispatch still moves on. Pending ones wait a
 * second.
 */
export function withoutAttempt(settlement: Settlement, now: number): Settlement {
  const { verdict } = settlement
  const ended = verdict.state === 'sent' || verdict.state === 'dead'
  return { ...keyOf(settlement), verdict: ended ? verdict : { state: 'pending', at: now + RETRY_PAUSE_MS } }
}
const RETRY_PAUSE_MS = 1_000
