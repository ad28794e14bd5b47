/**
 * Calls what belongs to somebody else. What it throws is an uncaught error of this thread, as with a timer's callback, and never a failure of
 * whoever happened to free the place, attach the port or run the turn.
 */
export function callSafely(callback: () => void): void {
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
  readonly #condition: () => boolean
  #waiting: (() => void)[] = []

  constructor(condition: () => boolean) {
    this.#condition = condition
  }

  /** At once when the condition holds. */
  add(resume: () => void): void {
    if (this.#condition()) resume()
    else this.#waiting.push(resume)
  }

  /** To be called whenever the condition may have come true. Those for whom nothing is left go on waiting. */
  wake(): void {
    while (this.#waiting.length > 0 && this.#condition()) {
      const resume = this.#waiting.shift()
      if (resume) callSafely(resume)
    }
  }
}
