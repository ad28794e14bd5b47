import type { Progress } from '../../src/journal/progress.ts'
import type { JournalQuota } from '../messages/journal-queries.ts'

/**
 * The quota of unfinished dispatches. An incident counts as the largest number of dispatches it can become until it is
 * applied, then as those that it became.
 */
export class Quota {
  readonly #progress: Progress
  #limits: JournalQuota
  /** Upper bound of unfinished dispatches, with those of the group. */
  #waiting = 0

  constructor(progress: Progress, limits: JournalQuota) {
    this.#progress = progress
    this.#limits = limits
  }

  change(limits: JournalQuota): void {
    this.#limits = limits
  }

  /** Begins a group. `committed`: number of the last committed incident. */
  begin(committed: number): void {
    // In this order: storage publishes the backlog first, so a dispatch may be counted twice, but never not at all.
    const { applied } = this.#progress
    this.#waiting = this.#progress.backlog + this.#sizeOf(Math.max(0, committed - applied))
  }

  /** Counts requests with that many incidents in if they fit. */
  takesAll(incidents: number): boolean {
    const size = this.#sizeOf(incidents)
    if (this.#waiting + size > this.#limits.maxBacklog) return false
    this.#waiting += size
    return true
  }

  /** Counts one request in if it fits. One that is larger than the whole quota passes while nothing waits. */
  takes(incidents: number): boolean {
    if (this.takesAll(incidents)) return true
    if (this.#waiting > 0) return false
    this.#waiting += this.#sizeOf(incidents)
    return true
  }

  #sizeOf(incidents: number): number {
    return incidents * Math.max(1, this.#limits.dispatchesPerIncident)
  }
}
