import { EventEmitter } from 'node:events'
import type { TestContext } from 'node:test'
import type { MessagePort } from 'node:worker_threads'
import { TurnScheduler } from '../../../src/kernel/turn-scheduler.ts'

/** Turns whose passes run when the test says so. */
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

/** Catches what the kernel throws apart, which would be an uncaught error of the thread. */
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

/** One end of a channel that delivers when the test says so, and goes on delivering after it was closed, as a real one may. */
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

  /** The oldest message, or the other side's closing once all messages are read. False: nothing to deliver yet. */
  deliver(): boolean {
    if (this.listenerCount('message') === 0) return false
    if (this.#inbox.length > 0) return this.emit('message', this.#inbox.shift())
    if (this.#other?.closed) this.emit('close')
    return false
  }
}
