import type { Clock } from './clock.ts'

/** An ask without an answer: its deadline passed, or its peer is down. */
export class AskError extends Error {
  readonly code: 'ask_timeout' | 'peer_down'
  constructor(code: 'ask_timeout' | 'peer_down', message: string) {
    super(message)
    this.name = 'AskError'
    this.code = code
  }
}

/** Asks under way to one peer. Each ends with its answer, at its deadline, or when the peer goes down. */
export class PendingAsks {
  readonly #peer: string
  readonly #clock: Clock
  readonly #pending = new Set<(error: AskError) => void>()

  constructor(peer: string, clock: Clock) {
    this.#peer = peer
    this.#clock = clock
  }

  /**
   * Calls `call` at once and resolves with its answer. Rejects with `ask_timeout`, `peer_down`, or as the call does.
   * @param what names the ask in error messages
   */
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

  /** Rejects all asks under way with `peer_down`. */
  peerGone(): void {
    for (const end of [...this.#pending]) end(new AskError('peer_down', `${this.#peer} is down`))
  }
}
