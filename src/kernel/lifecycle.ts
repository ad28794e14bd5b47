import type { Clock } from './clock.ts'

export interface StepReport {
  /** A step threw or ran out of time; the ones below it are still run. */
  failed(step: string, error: unknown): void
}

interface Step {
  readonly name: string
  readonly run: () => unknown
}

/** What has been started, to be torn down last-in first-out within one deadline. Closing twice is closing once. */
export class Lifecycle {
  readonly #steps: Step[] = []
  readonly #clock: Clock
  readonly #report: StepReport
  #closing: Promise<void> | undefined

  constructor(clock: Clock, report: StepReport) {
    this.#clock = clock
    this.#report = report
  }

  /** `run` undoes what was just started. */
  push(name: string, run: () => unknown): void {
    this.#steps.push({ name, run })
  }

  /** Resolves when every step has ended, failed, or been given up because `deadlineMs` from now passed; never rejects. */
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
