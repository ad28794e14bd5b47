/**
 * Calls a foreign callback. Its error becomes an uncaught error of this thread, as with a timer's callback, instead of
 * a failure of the code that freed the slot, attached the port or ran the turn.
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

/**
 * Callbacks that wait for a condition. Each is called once, first come first served, and only while the condition
 * holds.
 */
export class Waiters {
  readonly #condition: () => boolean
  #waiting: (() => void)[] = []

  constructor(condition: () => boolean) {
    this.#condition = condition
  }

  /** Calls `resume` at once when the condition holds. */
  add(resume: () => void): void {
    if (this.#condition()) resume()
    else this.#waiting.push(resume)
  }

  /** Call it whenever the condition may have become true. Callbacks go on waiting as soon as it is false again. */
  wake(): void {
    while (this.#waiting.length > 0 && this.#condition()) {
      const resume = this.#waiting.shift()
      if (resume) callSafely(resume)
    }
  }
}
