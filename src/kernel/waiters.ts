/**
 * Calls what belongs to somebody else. What it throws is an uncaught error of this thread, as with a timer's callback, and never a failure of
 * whoever happened to free the place, attach the port or run the turn.
 */
export function callOut(callback: () => void): void {
  try {
    callback()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Callbacks that wait for a condition: each is called once, in the order they came, and only while the condition holds. */
export class Waiters {
  readonly #holds: () => boolean
  #waiting: (() => void)[] = []

  constructor(holds: () => boolean) {
    this.#holds = holds
  }

  /** At once when the condition holds. */
  add(resume: () => void): void {
    if (this.#holds()) resume()
    else this.#waiting.push(resume)
  }

  /** To be called whenever the condition may have come true. Those for whom nothing is left go on waiting. */
  wake(): void {
    while (this.#waiting.length > 0 && this.#holds()) {
      const resume = this.#waiting.shift()
      if (resume) callOut(resume)
    }
  }
}
