import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { PostFailure } from './outcome.ts'
import type { Post, PostAnswer, PostRequest } from './provider-client.ts'

const MAX_BODY_BYTES = 64 * 1024
/** A body that goes on beyond it costs the provider its connection: opening another is cheaper than reading to the end. */
const MAX_DRAINED_BYTES = 256 * 1024

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'tocsin' }

/**
 * Outbound HTTP over pools of kept-alive connections, one pool an origin. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read when it is made.
 * The deadline of a request is its signal; `close` waits for those under way.
 */
export function createPost(): Post & { close(): Promise<void> } {
  const dispatcher = dispatcherOf(process.env)
  let connecting = false
  const onConnecting = () => {
    connecting = true
  }
  subscribe(BEFORE_CONNECT, onConnecting)
  const post = (request: PostRequest): Promise<PostAnswer> =>
    new Promise((resolve, reject) => {
      const call = new HttpCall(request, { resolve, reject })
      const url = URL.parse(request.url)
      if (call.over || !url) return call.fail(new Error('the address is not valid'))
      const { origin, pathname, search } = url
      const headers = { ...JSON_HEADERS, ...request.headers }
      const body = typeof request.json === 'string' ? request.json : JSON.stringify(request.json)
      connecting = false
      dispatcher.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, call)
      call.connecting = connecting
    })
  return Object.assign(post, {
    close() {
      unsubscribe(BEFORE_CONNECT, onConnecting)
      return dispatcher.close()
    },
  })
}

/** What undici tells before it connects: while `dispatch` runs, when the request found no connection that is free. */
const BEFORE_CONNECT = 'undici:client:beforeConnect'

/** The environment's agent parses each origin anew; without a proxy the plain one does the same for less. */
function dispatcherOf(env: NodeJS.ProcessEnv): Dispatcher {
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => env[name])
  return proxied ? new EnvHttpProxyAgent() : new Agent()
}

interface Resolvers {
  resolve(answer: PostAnswer): void
  reject(failure: PostFailure): void
}

/**
 * One request and its answer. undici calls `onRequestStart` when a connection stands (TLS included) and the request is about to be
 * written on it: what fails before has not reached the provider, what fails after may have.
 */
class HttpCall implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal
  readonly #resolvers: Resolvers
  readonly #onConnected: (() => void) | undefined
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: PostAnswer['headers'] = {}
  #chunks: Buffer[] = []
  #receivedBytes = 0
  over = false
  /** A connection is being made for it. */
  connecting = false

  constructor({ signal, onConnected }: Pick<PostRequest, 'signal' | 'onConnected'>, resolvers: Resolvers) {
    this.#signal = signal
    this.#resolvers = resolvers
    this.#onConnected = onConnected
    if (signal.aborted) this.handleEvent()
    else signal.addEventListener('abort', this, { once: true })
  }

  /** Of the signal. A request that still waits for its connection is stopped when it gets one. */
  handleEvent(): void {
    const written = this.#controller !== undefined
    this.#reject(
      written,
      written ? 'no answer before the deadline' : 'no connection before the deadline',
      this.#signal.reason,
    )
    this.#controller?.abort(DEADLINE)
  }
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.connecting) this.#onConnected?.()
    if (this.over) controller.abort(DEADLINE)
  }
  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    this.#status = status
    this.#headers = flat(headers)
  }
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#receivedBytes += chunk.length
    if (!this.over) this.#chunks.push(chunk)
    if (this.#receivedBytes >= MAX_BODY_BYTES) this.#answer()
    if (this.#receivedBytes >= MAX_DRAINED_BYTES) controller.abort(TOO_LONG)
  }
  onResponseEnd(): void {
    this.#signal.removeEventListener('abort', this)
    this.#answer()
  }
  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#signal.removeEventListener('abort', this)
    this.fail(error)
  }

  fail(error: Error): void {
    this.#reject(this.#controller !== undefined, wordsOf(error), error)
  }
  #reject(written: boolean, reason: string, cause: unknown): void {
    if (this.over) return
    this.over = true
    this.#resolvers.reject(new PostFailure(written, reason, { cause }))
  }
  #answer(): void {
    if (this.over) return
    this.over = true
    const body = Buffer.concat(this.#chunks).toString('utf8', 0, MAX_BODY_BYTES)
    this.#chunks = []
    this.#resolvers.resolve({ status: this.#status, headers: this.#headers, body })
  }
}

const DEADLINE = new Error('deadline')
const TOO_LONG = new Error('answer too long')

type RawHeaders = { readonly [name: string]: string | string[] | undefined }

function flat(headers: RawHeaders): PostAnswer['headers'] {
  const out: { [name: string]: string | undefined } = {}
  for (const name in headers) {
    const value = headers[name]
    out[name] = Array.isArray(value) ? value[0] : value
  }
  return out
}

/** The failure of several addresses at once has a code and no message. */
function wordsOf(error: Error & { code?: string }): string {
  return [error.code, error.message].filter((part) => part).join(': ')
}
