import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'

interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  /** A longer answer is a failure. */
  readonly maxBytes: number
  readonly deadlineMs: number
}
export interface OutboundAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
}

/**
 * unreachable: no connection, or one that broke. untrusted: its TLS certificate does not verify. silent: connected, and no whole answer before the
 * deadline. too_long: more than `maxBytes`.
 */
type OutboundFault = 'unreachable' | 'untrusted' | 'silent' | 'too_long'

/** Why there was no answer; the message is for people and names no address. */
export class OutboundError extends Error {
  readonly fault: OutboundFault
  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutboundError'
    this.fault = fault
  }
}

/** Requests to the topic service. Follows no redirect. Rejects with an `OutboundError`. */
export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundAnswer>
  /** Ends what is under way. */
  close(): Promise<void>
}

/** A few connections: what asks for more at once waits for its turn, within its deadline. */
const CONNECTIONS = 8

/** HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS count. */
export function openOutbound(): Outbound {
  const options = { connections: CONNECTIONS }
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => process.env[name])
  // Plain HTTP, for issuers' certificates, goes through a proxy as it is: many allow a tunnel to port 443 alone.
  const dispatcher = proxied ? new EnvHttpProxyAgent({ ...options, proxyTunnel: false }) : new Agent(options)
  return {
    send: ({ url, method, headers = {}, body = null, maxBytes, deadlineMs }) =>
      new Promise((resolve, reject) => {
        const { origin, pathname, search } = new URL(url)
        const call = new HttpCall({ maxBytes, deadlineMs }, { resolve, reject })
        const sent = { 'user-agent': 'tocsin', ...headers }
        dispatcher.dispatch({ origin, path: pathname + search, method, headers: sent, body }, call)
      }),
    close: () => dispatcher.destroy(),
  }
}

interface Limits {
  readonly maxBytes: number
  readonly deadlineMs: number
}
interface Resolvers {
  resolve(answer: OutboundAnswer): void
  reject(error: OutboundError): void
}

/** One request and its answer. undici calls `onRequestStart` when a connection stands, TLS included. */
class HttpCall implements Dispatcher.DispatchHandler {
  readonly #limits: Limits
  readonly #resolvers: Resolvers
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #head: Omit<OutboundAnswer, 'body'> = { status: 0, headers: {} }
  #chunks: Buffer[] = []
  #bytes = 0
  #over = false

  constructor(limits: Limits, resolvers: Resolvers) {
    this.#limits = limits
    this.#resolvers = resolvers
    this.#timer = setTimeout(() => this.#late(), limits.deadlineMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#over) controller.abort(ENDED)
  }
  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    this.#head = { status, headers: flat(headers) }
  }
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#limits.maxBytes)
      this.#fail('too_long', `the answer is longer than ${this.#limits.maxBytes} bytes`)
    else this.#chunks.push(chunk)
  }
  onResponseEnd(): void {
    if (!this.#end()) return
    this.#resolvers.resolve({ ...this.#head, body: Buffer.concat(this.#chunks) })
  }
  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error & { code?: string }): void {
    const message = [error.code, error.message].filter(Boolean).join(': ')
    this.#fail(TLS_CODE.test(error.code ?? '') ? 'untrusted' : 'unreachable', message, error)
  }

  #late(): void {
    if (this.#controller === undefined) this.#fail('unreachable', 'no connection before the deadline')
    else this.#fail('silent', 'no whole answer before the deadline')
  }

  #fail(fault: OutboundFault, message: string, cause?: unknown): void {
    if (!this.#end()) return
    this.#resolvers.reject(new OutboundError(fault, message, { cause }))
    this.#controller?.abort(ENDED)
  }

  /** False: it has ended before. */
  #end(): boolean {
    clearTimeout(this.#timer)
    const ends = !this.#over
    this.#over = true
    return ends
  }
}

const ENDED = new Error('ended')
/** What OpenSSL's verification and Node's check of the host name call their refusals. */
const TLS_CODE =
  /^(?:ERR_TLS_|(?:DEPTH_ZERO_)?SELF_SIGNED_|UNABLE_TO_|CERT_|ERROR_IN_CERT_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_)/

type RawHeaders = { readonly [name: string]: string | string[] | undefined }

function flat(headers: RawHeaders): OutboundAnswer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
