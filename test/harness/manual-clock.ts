import { SimulatedClock } from '../../actors/rehearsal/simulated-clock.ts'

/** Clock for tests. */
export class ManualClock extends SimulatedClock {
  constructor(epochMs = 1_700_000_000_000) {
    super(epochMs)
  }
  /** Sets the wall clock; no time passes. */
  jump(ms: number): void {
    this.setBy(ms)
  }
}
