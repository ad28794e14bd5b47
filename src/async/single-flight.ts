/**
 * Shares one run of `work` among the calls that come during it. The first call after its end runs `work` again, also
 * when the run rejected.
 */
export class SingleFlight<T> {
  readonly #work: () => Promise<T>
  #running: Promise<T> | undefined

  constructor(work: () => Promise<T>) {
    this.#work = work
  }

  /** The run under way. */
  get running(): Promise<T> | undefined {
    return this.#running
  }

  /** Rejects as `work` does. */
  run(): Promise<T> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }
}

/** Single flights by key. */
export class SingleFlights<T> {
  readonly #running = new Map<string, Promise<T>>()

  /** Keys under way. */
  get size(): number {
    return this.#running.size
  }

  has(key: string): boolean {
    return this.#running.has(key)
  }

  /** Returns the run of `key` that is under way, else starts one with `work`. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }
}
