import type { Watch } from '../contract.ts'
import type { RawEvent } from '../sources/contract.ts'
import type { Funnel } from './funnel.ts'

export interface MillTools {
  readonly funnel: Funnel
  readonly watch: Pick<Watch, 'observe'>
  /** Epoch milliseconds. */
  now(): number
  /** A line that could not be learned: a fault of ours. Told of the first one. */
  failed(error: unknown): void
}

const RATE_SECONDS = 5

/** What becomes of the events that were read: the ones worth it are learned. One line that cannot be stood costs no other. */
export class Mill {
  readonly #tools: MillTools
  /** Events of each of the last seconds. */
  readonly #seconds = new Map<number, number>()
  events = 0
  learned = 0
  faults = 0

  constructor(tools: MillTools) {
    this.#tools = tools
  }

  take(source: string, events: readonly RawEvent[]): void {
    const now = this.#tools.now()
    this.events += events.length
    const second = Math.floor(now / 1_000)
    this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + events.length)
    for (const old of this.#seconds.keys()) if (old < second - RATE_SECONDS) this.#seconds.delete(old)
    for (const event of events) this.#learn(event, source, now)
  }

  /** Over the last whole seconds. */
  linesPerSecond(): number {
    const second = Math.floor(this.#tools.now() / 1_000)
    let sum = 0
    for (const [at, count] of this.#seconds) if (at < second && at >= second - RATE_SECONDS) sum += count
    return sum / RATE_SECONDS
  }

  #learn(event: RawEvent, source: string, now: number): void {
    try {
      const line = this.#tools.funnel(event, source)
      if (!line) return
      this.#tools.watch.observe(line, now)
      this.learned++
    } catch (error) {
      if (this.faults++ === 0) this.#tools.failed(error)
    }
  }
}
