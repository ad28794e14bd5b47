import type { Settlement } from '../../src/domain/commit.ts'
import type { Told } from '../../src/domain/oncall.ts'

/** What storage has learned and the disk has not. */
export interface Debt {
  readonly settlements: readonly Settlement[]
  readonly told: readonly Told[]
  /** What was handed out is to be handed out again. */
  readonly sendersLost: boolean
}

/** What the disk refused, until it takes it: nobody else remembers it, so it outlives the actor that writes it. */
export class Owed implements Debt {
  #debt: Debt = NOTHING

  get settlements(): readonly Settlement[] {
    return this.#debt.settlements
  }
  get told(): readonly Told[] {
    return this.#debt.told
  }
  get sendersLost(): boolean {
    return this.#debt.sendersLost
  }
  get isEmpty(): boolean {
    return this.#debt === NOTHING
  }

  /** The debt and what has just come, in this order; the debt itself stays as it is. */
  with({ settlements, told, sendersLost }: Debt): Debt {
    return {
      settlements: [...this.#debt.settlements, ...settlements],
      told: [...this.#debt.told, ...told],
      sendersLost: this.#debt.sendersLost || sendersLost,
    }
  }

  keep(debt: Debt): void {
    this.#debt = debt.settlements.length > 0 || debt.told.length > 0 || debt.sendersLost ? debt : NOTHING
  }

  clear(): void {
    this.#debt = NOTHING
  }
}

const NOTHING: Debt = { settlements: [], told: [], sendersLost: false }

/** A settlement that cannot be written as it is: without its attempt, so that at least its delivery goes on. */
export function untold({ incident, channel, verdict }: Settlement, now: number): Settlement {
  return { incident, channel, verdict: later(verdict, now) }
}
export function unpaged({ incident, verdict }: Told, now: number): Told {
  return { incident, verdict: later(verdict, now) }
}
function later(verdict: Told['verdict'], now: number): Told['verdict'] {
  return verdict.state === 'sent' || verdict.state === 'dead'
    ? verdict
    : { state: 'pending', at: now + UNTOLD_PAUSE_MS }
}
const UNTOLD_PAUSE_MS = 1_000
