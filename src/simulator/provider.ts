/** What a stand-in was sent. */
export interface Received {
  /** `MAIL` for a mail. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** With the query. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** As it came; of a mail its whole source. */
  readonly body: string
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
  /** What a reader of the message would see. */
  readonly text: string
  /** Of a mail: the recipients that were taken. */
  readonly recipients: readonly string[]
}

/** How a stand-in answers one request; what is left out is the provider's success. */
export interface Reply {
  /** HTTP status, or the SMTP code. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** An object goes out as JSON. */
  readonly body?: string | object
  /** The answer waits for it. */
  readonly after?: Promise<unknown>
  /** Never answers; the connection ends when the stand-in closes. */
  readonly hang?: boolean
  /** Cuts the connection instead of answering. */
  readonly reset?: boolean
  /** Of a mail: which command the answer is to; `data` (the end of the message) unless it says otherwise. */
  readonly stage?: 'mail' | 'rcpt' | 'data'
  /** At stage `rcpt`: the recipients it is about; all when absent. */
  readonly recipients?: readonly string[]
}

type Script = (request: Received, nth: number) => Reply | undefined

/** A provider of our own on the loopback interface; it answers with the success of its kind unless told otherwise. */
export interface Provider {
  readonly kind: string
  readonly url: string
  readonly port: number
  /** In order of arrival. */
  readonly requests: readonly Received[]
  /** Asked for what `next` has nothing for. */
  script: Script | undefined
  /** Answers to the coming requests, first come first served. */
  next(...replies: readonly Reply[]): void
  /** The first request, past or future, that the predicate takes; rejects when the stand-in closes before. */
  waitFor(predicate: (request: Received) => boolean): Promise<Received>
  /** Cuts every connection. */
  close(): Promise<void>
}

interface Waiter {
  readonly predicate: (request: Received) => boolean
  readonly resolve: (request: Received) => void
  readonly reject: (error: Error) => void
}

/** The record of a stand-in and its choice of answers; the servers differ, this does not. */
export class RequestRecorder {
  readonly requests: Received[] = []
  script: Script | undefined
  readonly #queue: Reply[] = []
  #waiters: Waiter[] = []

  next(...replies: readonly Reply[]): void {
    this.#queue.push(...replies)
  }
  /** A reply meant for the coming request, taken before the request is known as a whole. */
  takeQueued(): Reply | undefined {
    return this.#queue.shift()
  }
  /** Records a request and says how to answer it; undefined is the success of the kind. */
  record(request: Received, queued: Reply | undefined): Reply | undefined {
    this.requests.push(request)
    const woken = this.#waiters.filter(({ predicate }) => predicate(request))
    this.#waiters = this.#waiters.filter((waiter) => !woken.includes(waiter))
    for (const { resolve } of woken) resolve(request)
    return queued ?? this.script?.(request, this.requests.length)
  }
  waitFor(predicate: (request: Received) => boolean): Promise<Received> {
    const seen = this.requests.find(predicate)
    if (seen) return Promise.resolve(seen)
    return new Promise((resolve, reject) => this.#waiters.push({ predicate, resolve, reject }))
  }
  end(kind: string): void {
    for (const { reject } of this.#waiters) reject(new Error(`${kind} closed while somebody waited for a request`))
    this.#waiters = []
  }
}
