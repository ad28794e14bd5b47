import type { Clock } from './clock.ts'

/** A question that got no answer. `code` is `ask_timeout` or `peer_down`. */
export class AskError extends Error {
  readonly code: 'ask_timeout' | 'peer_down'
  constructor(code: 'ask_timeout' | 'peer_down', message: string) {
    super(message)
    this.name = 'AskError'
    this.code = code
  }
}

/** The questions under way to one peer: each ends with its answer, at its deadline, or when the peer is gone. */
export class PendingAsks {
  readonly #peer: string
  readonly #clock: Clock
  readonly #pending = new Set<(error: AskError) => void>()

  constructor(peer: string, clock: Clock) {
    this.#peer = peer
    this.#clock = clock
  }

  ask<T>(what: string, deadlineMs: number, call: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const late = () =>
        end(new AskError('ask_timeout', `${this.#peer} did not answer ${what} within ${deadlineMs} ms`))
      const timer = this.#clock.setTimer(deadlineMs, late)
      const end = (error: unknown) => {
        this.#pending.delete(end)
        timer.cancel()
        reject(error)
      }
      this.#pending.add(end)
      const called = async () => call()
      called().then((answer) => {
        this.#pending.delete(end)
        timer.cancel()
        resolve(answer)
      }, end)
    })
  }

  /** Rejects everything under way. */
  peerGone(): void {
    for (const end of [...this.#pending]) end(new AskError('peer_down', `${this.#peer} is down`))
  }

  get pending(): number {
    return this.#pending.size
  }
}
