import type { Bot } from './bot.ts'
import type { KeptMessage, Received, Reply } from './exchange.ts'

type Script = (request: Received, nth: number) => Reply | undefined

/** A stand-in of a provider on the loopback interface. It answers with the success of its kind by default. */
export interface Provider extends Omit<RequestRecorder, 'takeQueued' | 'record' | 'end'> {
  readonly kind: string
  readonly url: string
  readonly port: number
  /** Presses buttons of its messages; absent: its kind has no bot. */
  readonly bot?: Bot
  /** Refuses connections, and cuts those that are open, until `up` is called. */
  down(): Promise<void>
  /** Accepts connections again, at the same port. */
  up(): Promise<void>
  /** Closes the server and cuts every connection. */
  close(): Promise<void>
}

interface Waiter {
  readonly predicate: (request: Received) => boolean
  readonly resolve: (request: Received) => void
  readonly reject: (error: Error) => void
}

/** Records the requests of a stand-in and its messages, and chooses its replies; shared by the HTTP and the SMTP server. */
export class RequestRecorder {
  /** All requests in the order of their arrival. */
  readonly requests: Received[] = []
  /** Messages and edits that were taken. Replies that a test scripted with a status or body are not counted. */
  readonly taken: Received[] = []
  /** Messages in the order of their arrival. Empty for providers that cannot edit. */
  readonly messages: KeptMessage[] = []
  /** The number of messages that were taken, without edits. */
  posts = 0
  /** The number of edits that were taken; 0 for providers that cannot edit. */
  edits = 0
  /** Requests that were refused because of `limit`. */
  limited = 0
  /** Chooses the reply to a request for which `next` has queued none. */
  script: Script | undefined
  readonly #queue: Reply[] = []
  #waiters: Waiter[] = []

  /** Queues replies to the next requests. */
  next(...replies: readonly Reply[]): void {
    this.#queue.push(...replies)
  }
  /** Takes the queued reply for the next request, before that request has arrived completely. */
  takeQueued(): Reply | undefined {
    return this.#queue.shift()
  }
  /** Records a request and returns the reply to it; undefined: the success of the kind. */
  record(request: Received, queued: Reply | undefined): Reply | undefined {
    this.requests.push(request)
    const woken = this.#waiters.filter(({ predicate }) => predicate(request))
    this.#waiters = this.#waiters.filter((waiter) => !woken.includes(waiter))
    for (const { resolve } of woken) resolve(request)
    return queued ?? this.script?.(request, this.requests.length)
  }
  /** Resolves with the first request, past or future, that matches. Rejects when the stand-in closes before. */
  waitFor(predicate: (request: Received) => boolean): Promise<Received> {
    const seen = this.requests.find(predicate)
    if (seen) return Promise.resolve(seen)
    return new Promise((resolve, reject) => this.#waiters.push({ predicate, resolve, reject }))
  }
  end(kind: string): void {
    for (const { reject } of this.#waiters) reject(new Error(`${kind} closed while a test waited for a request`))
    this.#waiters = []
  }
}
