import { EventEmitter } from 'node:events'
import type { TestContext } from 'node:test'
import type { MessagePort } from 'node:worker_threads'
import { TurnScheduler } from '../../../src/kernel/turn-scheduler.ts'

/** Scheduler whose passes the test runs. */
export function manualScheduler(): {
  readonly scheduler: TurnScheduler
  readonly scheduled: () => number
  pass(): void
  passAll(): void
} {
  const passes: (() => void)[] = []
  const pass = () => passes.shift()?.()
  return {
    scheduler: new TurnScheduler((run) => passes.push(run)),
    scheduled: () => passes.length,
    pass,
    passAll() {
      while (passes.length > 0) pass()
    },
  }
}

/** Collects errors that `callSafely` makes uncaught errors of the thread. */
export function uncaughtErrors(t: TestContext): unknown[] {
  const thrown: unknown[] = []
  t.mock.method(globalThis, 'queueMicrotask', (run: () => void) => {
    try {
      run()
    } catch (error) {
      thrown.push(error)
    }
  })
  return thrown
}

/** One end of a channel. The test delivers its messages, also after it was closed, as a real port may. */
export class ManualPort extends EventEmitter {
  #inbox: unknown[] = []
  #other: ManualPort | undefined
  #closing = false

  static channel(): [ManualPort, ManualPort] {
    const one = new ManualPort()
    const two = new ManualPort()
    one.#other = two
    two.#other = one
    return [one, two]
  }

  get port(): MessagePort {
    return this as unknown as MessagePort
  }
  get waiting(): number {
    return this.#inbox.length
  }

  postMessage(message: unknown, transfer: ArrayBuffer[] = []): void {
    const copy = structuredClone(message, { transfer })
    if (!this.#closing) this.#other?.enqueue(copy)
  }

  enqueue(message: unknown): void {
    this.#inbox.push(message)
  }
  close(): void {
    this.#closing = true
  }
  get closed(): boolean {
    return this.#closing
  }

  /**
   * Delivers the oldest message, or the other side's closing after all messages. Returns false when there is neither.
   */
  deliver(): boolean {
    if (this.listenerCount('message') === 0) return false
    if (this.#inbox.length > 0) return this.emit('message', this.#inbox.shift())
    if (this.#other?.closed) this.emit('close')
    return false
  }
}
