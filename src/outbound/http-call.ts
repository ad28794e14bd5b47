import type { Dispatcher } from 'undici'

export interface CallOptions {
  /** Deadline of the request: its abort ends it. */
  readonly signal: AbortSignal
  readonly maxBytes: number
  /** A body that reaches `maxBytes`: `cut` resolves with its beginning, `fail` rejects when it is exceeded. */
  readonly whenLonger: 'cut' | 'fail'
  /** Called when a connection was made for the request, TLS included; not when a kept one is used. */
  readonly onConnected?: (() => void) | undefined
}

export interface HttpResponse {
  readonly status: number
  /** Names in lower case; the first value of a header that comes more than once. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: Buffer
}

/**
 * unreachable: no connection, or one that broke. untrusted: the TLS certificate does not verify. silent: no whole
 * answer before the deadline. too_long: an answer above `maxBytes`.
 */
type FailureKind = 'unreachable' | 'untrusted' | 'silent' | 'too_long'

/** Why a request got no answer. The message may hold secrets of the request. */
export class HttpFailure extends Error {
  readonly kind: FailureKind
  /** The request may have been written: its connection was up. */
  readonly written: boolean
  constructor(kind: FailureKind, { message, written, cause }: { message: string; written: boolean; cause?: unknown }) {
    super(message, { cause })
    this.name = 'HttpFailure'
    this.kind = kind
    this.written = written
  }
}

interface Resolvers {
  resolve(response: HttpResponse): void
  reject(failure: HttpFailure): void
}

/**
 * One request and its answer. undici calls `onRequestStart` when a connection is up, TLS included, and the request is
 * about to be written to it: before that call the server has received nothing, after it the server may have received
 * everything.
 *
 * - waiting: no connection yet; leaves to written, over
 * - written: leaves to over with the whole answer, at `maxBytes`, at the deadline, or when the connection breaks
 * - over: the promise is settled; the rest of a cut answer is read, so that the connection can be kept
 */
export class HttpCall implements Dispatcher.DispatchHandler {
  /** Set by the client when a connection is being made for this request. */
  connecting = false
  readonly #options: CallOptions
  readonly #resolvers: Resolvers
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: HttpResponse['headers'] = {}
  #chunks: Buffer[] = []
  #receivedBytes = 0
  #over = false

  constructor(options: CallOptions, resolvers: Resolvers) {
    this.#options = options
    this.#resolvers = resolvers
    if (options.signal.aborted) this.handleEvent()
    else options.signal.addEventListener('abort', this, { once: true })
  }

  get over(): boolean {
    return this.#over
  }

  /** Ends the request when its signal aborts. One that still waits for a connection is stopped when it gets one. */
  handleEvent(): void {
    const cause = this.#options.signal.reason
    if (this.#controller === undefined) this.#reject('unreachable', 'no connection before the deadline', cause)
    else this.#reject('silent', 'no answer before the deadline', cause)
    this.#controller?.abort(ENDED)
  }
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.connecting) this.#options.onConnected?.()
    if (this.#over) controller.abort(ENDED)
  }
  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    this.#status = status
    this.#headers = firstValues(headers)
  }
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes, whenLonger } = this.#options
    this.#receivedBytes += chunk.length
    if (!this.#over) this.#chunks.push(chunk)
    if (whenLonger === 'cut') {
      if (this.#receivedBytes >= maxBytes) this.#resolve()
      if (this.#receivedBytes >= DRAIN_FACTOR * maxBytes) controller.abort(ENDED)
    } else if (this.#receivedBytes > maxBytes) {
      this.#reject('too_long', `the answer is longer than ${maxBytes} bytes`)
      controller.abort(ENDED)
    }
  }
  onResponseEnd(): void {
    this.#options.signal.removeEventListener('abort', this)
    this.#resolve()
  }
  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#options.signal.removeEventListener('abort', this)
    this.fail(error)
  }

  fail(error: Error & { code?: string }): void {
    // The failure of several addresses at once has a code and no message.
    const message = [error.code, error.message].filter(Boolean).join(': ')
    this.#reject(TLS_CODE.test(error.code ?? '') ? 'untrusted' : 'unreachable', message, error)
  }

  #reject(kind: FailureKind, message: string, cause?: unknown): void {
    if (this.#over) return
    this.#over = true
    this.#chunks = []
    this.#resolvers.reject(new HttpFailure(kind, { message, written: this.#controller !== undefined, cause }))
  }
  #resolve(): void {
    if (this.#over) return
    this.#over = true
    const body = Buffer.concat(this.#chunks).subarray(0, this.#options.maxBytes)
    this.#chunks = []
    this.#resolvers.resolve({ status: this.#status, headers: this.#headers, body })
  }
}

/**
 * A cut answer is read up to this multiple of `maxBytes`; beyond it, a new connection is cheaper than reading to the
 * end.
 */
const DRAIN_FACTOR = 4
const ENDED = new Error('ended')
/** Codes of OpenSSL's verification and of Node's check of the host name. */
const TLS_CODE =
  /^(?:ERR_TLS_|(?:DEPTH_ZERO_)?SELF_SIGNED_|UNABLE_TO_|CERT_|ERROR_IN_CERT_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_)/

type RawHeaders = { readonly [name: string]: string | string[] | undefined }

function firstValues(headers: RawHeaders): HttpResponse['headers'] {
  const out: { [name: string]: string | undefined } = {}
  for (const name in headers) {
    const value = headers[name]
    out[name] = Array.isArray(value) ? value[0] : value
  }
  return out
}
