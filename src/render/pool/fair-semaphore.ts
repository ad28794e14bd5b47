import { CodedError } from '../../domain/errors.ts'

interface Waiter {
  readonly start: () => void
  readonly reject: (error: CodedError) => void
}

/**
 * Shares a fixed number of permits among keys in rotation (round robin), so that a key with much work delays the others
 * only by its running work. The number of waiting calls is bounded by the callers.
 */
export class FairSemaphore {
  #free: number
  /** Waiting calls by key; the key to be served next comes first. */
  readonly #waiters = new Map<string, Waiter[]>()
  readonly #running = new Set<Promise<unknown>>()
  #closed = false

  constructor(permits: number) {
    this.#free = permits
  }

  /** Runs `work` with a permit, at once or when the key is served. Rejects with shutting_down when closed before. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new CodedError('shutting_down')
    if (this.#free > 0) {
      this.#free--
      return this.#runWithPermit(work)
    }
    return new Promise<T>((resolve, reject) => {
      const waiting = { start: () => resolve(this.#runWithPermit(work)), reject }
      const queue = this.#waiters.get(key)
      if (queue) queue.push(waiting)
      else this.#waiters.set(key, [waiting])
    })
  }

  /** Rejects waiting and later calls with shutting_down. Resolves when running work has ended. */
  async close(): Promise<void> {
    this.#closed = true
    const refused = [...this.#waiters.values()].flat()
    this.#waiters.clear()
    for (const { reject } of refused) reject(new CodedError('shutting_down'))
    await Promise.allSettled(this.#running)
  }

  async #runWithPermit<T>(work: () => Promise<T>): Promise<T> {
    const running = work()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
      this.#release()
    }
  }

  /** Passes the permit to the next waiting call, or frees it. */
  #release(): void {
    const [first] = this.#waiters
    if (!first) {
      this.#free++
      return
    }
    const [key, [next, ...rest]] = first
    this.#waiters.delete(key)
    if (rest.length > 0) this.#waiters.set(key, rest)
    next?.start()
  }
}
