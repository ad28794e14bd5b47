/** A look at the database's clock: both times of this process around it, monotonic, and what it showed. */
interface Reading {
  readonly sentMs: number
  readonly receivedMs: number
  readonly databaseMs: number
}

/** Larger differences are a clock that was set, or another server. */
const LARGEST_DRIFT_MS = 1_000

/**
 * Follows the database's clock. Each reading bounds the time of day at which this machine's monotonic clock was 0: the
 * database answered between the sending of the question and the arrival of the answer. The estimate moves only as far
 * as the bounds ask, so that it does not jump with the delay of single answers.
 */
export class DatabaseClock {
  #epochMs: number

  /** @param epochMs first estimate, from the wall clock */
  constructor(epochMs: number) {
    this.#epochMs = epochMs
  }

  /** Time of day when the monotonic clock was 0. */
  get epochMs(): number {
    return this.#epochMs
  }

  /** Returns whether the clock was set: by more than it can have drifted since the reading before. */
  read({ sentMs, receivedMs, databaseMs }: Reading): boolean {
    const [earliest, latest] = [databaseMs - receivedMs, databaseMs - sentMs]
    const before = this.#epochMs
    const isFar = before < earliest - LARGEST_DRIFT_MS || before > latest + LARGEST_DRIFT_MS
    // The middle is the best guess; the bounds are kept to once there is an estimate.
    this.#epochMs = isFar ? (earliest + latest) / 2 : Math.min(Math.max(before, earliest), latest)
    return isFar
  }
}
