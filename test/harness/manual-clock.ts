import { SimulatedClock } from '../../actors/rehearsal/simulated-clock.ts'

/** Clock for tests. */
export class ManualClock extends SimulatedClock {
  #setByMs = 0

  constructor(epochMs = 1_700_000_000_000) {
    super(epochMs)
  }
  override now(): number {
    return super.now() + this.#setByMs
  }
  /** Sets the wall clock; no time passes. */
  jump(ms: number): void {
    this.#setByMs += ms
  }
}
