import type { Settlement } from '../domain/commit.ts'

/** What storage has learned and the disk has not. */
export interface Debt {
  readonly settlements: readonly Settlement[]
  /** What was handed out is to be handed out again. */
  readonly sendersLost: boolean
}

/** What the disk refused, until it takes it: nobody else remembers it, so it outlives the actor that writes it. */
export class Owed implements Debt {
  #debt: Debt = NOTHING

  get settlements(): readonly Settlement[] {
    return this.#debt.settlements
  }
  get sendersLost(): boolean {
    return this.#debt.sendersLost
  }
  get isEmpty(): boolean {
    return this.#debt === NOTHING
  }

  /** The debt and what has just come, in this order; the debt itself stays as it is. */
  with({ settlements, sendersLost }: Debt): Debt {
    return {
      settlements: [...this.#debt.settlements, ...settlements],
      sendersLost: this.#debt.sendersLost || sendersLost,
    }
  }

  keep(debt: Debt): void {
    this.#debt = debt.settlements.length > 0 || debt.sendersLost ? debt : NOTHING
  }

  clear(): void {
    this.#debt = NOTHING
  }
}

const NOTHING: Debt = { settlements: [], sendersLost: false }
