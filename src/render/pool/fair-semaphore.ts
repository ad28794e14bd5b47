import { CodedError } from '../../domain/errors.ts'

interface Waiting {
  readonly start: () => void
  readonly refuse: (error: CodedError) => void
}

/**
 * Shares a fixed number of permits among named lanes, one turn each in rotation, so that a lane with much to do
 * delays the others by its turns under way and no more. What waits is bounded by its callers.
 */
export class Lanes {
  #free: number
  /** Lanes with somebody waiting, the next one to be served first. */
  readonly #lanes = new Map<string, Waiting[]>()
  readonly #underWay = new Set<Promise<unknown>>()
  #closed = false

  constructor(permits: number) {
    this.#free = permits
  }

  /** Runs `work` when its turn comes, at once if it can; rejects with `shutting_down` when the lanes close before that. */
  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new CodedError('shutting_down')
    if (this.#free > 0) {
      this.#free--
      return this.#turn(work)
    }
    return new Promise<T>((resolve, refuse) => {
      const waiting = { start: () => resolve(this.#turn(work)), refuse }
      const others = this.#lanes.get(lane)
      if (others) others.push(waiting)
      else this.#lanes.set(lane, [waiting])
    })
  }

  /** Refuses what waits and what comes; resolves when the turns under way have ended. */
  async close(): Promise<void> {
    this.#closed = true
    const refused = [...this.#lanes.values()].flat()
    this.#lanes.clear()
    for (const { refuse } of refused) refuse(new CodedError('shutting_down'))
    await Promise.allSettled(this.#underWay)
  }

  async #turn<T>(work: () => Promise<T>): Promise<T> {
    const turn = work()
    this.#underWay.add(turn)
    try {
      return await turn
    } finally {
      this.#underWay.delete(turn)
      this.#pass()
    }
  }

  /** Hands the permit to the next in rotation, or frees it. */
  #pass(): void {
    const [first] = this.#lanes
    if (!first) {
      this.#free++
      return
    }
    const [lane, [next, ...rest]] = first
    this.#lanes.delete(lane)
    if (rest.length > 0) this.#lanes.set(lane, rest)
    next?.start()
  }
}
