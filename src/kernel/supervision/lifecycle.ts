import type { Clock } from '../clock.ts'

export interface StepReport {
  /** A step threw or exceeded the deadline. The remaining steps still run. */
  failed(step: string, error: unknown): void
}

interface Step {
  readonly name: string
  readonly run: () => unknown
}

/** Stack of named teardown steps, run last-in first-out within one deadline. */
export class Lifecycle {
  readonly #steps: Step[] = []
  readonly #clock: Clock
  readonly #report: StepReport
  #closing: Promise<void> | undefined

  constructor(clock: Clock, report: StepReport) {
    this.#clock = clock
    this.#report = report
  }

  /** @param run undoes what the caller has just started */
  push(name: string, run: () => unknown): void {
    this.#steps.push({ name, run })
  }

  /**
   * Resolves when each step has ended, failed, or been given up at the deadline. Never rejects. Later calls return the
   * first call's promise.
   */
  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#run(this.#clock.elapsed() + deadlineMs)
    return this.#closing
  }

  async #run(deadline: number): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await within(this.#clock, Math.max(0, deadline - this.#clock.elapsed()), step)
      } catch (error) {
        this.#report.failed(step.name, error)
      }
    }
  }
}

function within(clock: Clock, leftMs: number, step: Step): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`${step.name} did not end within ${Math.round(leftMs)} ms`))
    const timer = clock.setTimer(leftMs, late)
    Promise.resolve()
      .then(step.run)
      .then(() => resolve(), reject)
      .finally(() => timer.cancel())
  })
}
