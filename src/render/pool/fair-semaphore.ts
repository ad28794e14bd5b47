import { CodedError } from '../../domain/errors.ts'

interface Waiter {
  readonly start: () => void
  readonly reject: (error: CodedError) => void
}

/**
 * Shares a fixed number of permits among named lanes, one turn each in rotation, so that a lane with much to do
 * delays the others by its turns under way and no more. What waits is bounded by its callers.
 */
export class FairSemaphore {
  #free: number
  /** Lanes with somebody waiting, the next one to be served first. */
  readonly #waiters = new Map<string, Waiter[]>()
  readonly #running = new Set<Promise<unknown>>()
  #closed = false

  constructor(permits: number) {
    this.#free = permits
  }

  /** Runs `work` when its turn comes, at once if it can; rejects with `shutting_down` when the lanes close before that. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new CodedError('shutting_down')
    if (this.#free > 0) {
      this.#free--
      return this.#runNow(work)
    }
    return new Promise<T>((resolve, reject) => {
      const waiting = { start: () => resolve(this.#runNow(work)), reject }
      const queue = this.#waiters.get(key)
      if (queue) queue.push(waiting)
      else this.#waiters.set(key, [waiting])
    })
  }

  /** Refuses what waits and what comes; resolves when the turns under way have ended. */
  async close(): Promise<void> {
    this.#closed = true
    const refused = [...this.#waiters.values()].flat()
    this.#waiters.clear()
    for (const { reject } of refused) reject(new CodedError('shutting_down'))
    await Promise.allSettled(this.#running)
  }

  async #runNow<T>(work: () => Promise<T>): Promise<T> {
    const turn = work()
    this.#running.add(turn)
    try {
      return await turn
    } finally {
      this.#running.delete(turn)
      this.#release()
    }
  }

  /** Hands the permit to the next in rotation, or frees it. */
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
