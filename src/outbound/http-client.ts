import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'
import type { buildConnector, Dispatcher } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import { type CallOptions, HttpCall, type HttpResponse } from './http-call.ts'
import { DIRECT, type NetworkSettings } from './network.ts'
import { connectBySocks } from './socks.ts'

interface HttpRequest extends CallOptions {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array | null
}

interface ClientOptions {
  /** Connections for each origin; unlimited when absent. */
  readonly connections?: number
  /** For the connection alone. Default: 10 s. */
  readonly connectMs?: number
  /** False: HTTPS_PROXY, HTTP_PROXY and NO_PROXY do not count. */
  readonly environmentProxy?: boolean
  /** False: plain HTTP is sent to the proxy as it is. Many proxies allow a tunnel to port 443 only. */
  readonly proxyTunnel?: boolean
}

export type HttpClient = ReturnType<typeof openHttpClient>

/**
 * Opens HTTP over pools of kept-alive connections, one pool for each origin. Follows no redirect. Without a proxy in
 * `network` it reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY once, when it is called.
 */
export function openHttpClient(
  { connectMs, environmentProxy = true, ...options }: ClientOptions = {},
  network: NetworkSettings = DIRECT,
) {
  const connect: Connect = {
    ...(network.insecureSkipVerify ? { rejectUnauthorized: false } : {}),
    ...(connectMs === undefined ? {} : { timeout: connectMs }),
  }
  const dispatcher =
    network.proxy === ''
      ? dispatcherOf(environmentProxy ? process.env : {}, options, connect)
      : proxyDispatcher(network.proxy, options, connect)
  let connecting = false
  const onConnecting = () => {
    connecting = true
  }
  subscribe(BEFORE_CONNECT, onConnecting)
  return {
    /** For protocols that begin with a request, such as WebSocket. Only the client closes it. */
    dispatcher,
    /** Rejects with `HttpFailure` only. */
    send: (request: HttpRequest): Promise<HttpResponse> =>
      new Promise((resolve, reject) => {
        const call = new HttpCall(request, { resolve, reject })
        const url = URL.parse(request.url)
        if (call.over || !url) return call.fail(new Error('the address is not valid'))
        const { origin, pathname, search } = url
        const { method, headers, body } = request
        connecting = false
        dispatcher.dispatch({ origin, path: pathname + search, method, headers, body }, call)
        call.connecting = connecting
      }),
    /** Resolves when requests under way have ended. */
    close(): Promise<void> {
      unsubscribe(BEFORE_CONNECT, onConnecting)
      return dispatcher.close()
    },
    /** Ends requests under way. */
    destroy(): Promise<void> {
      unsubscribe(BEFORE_CONNECT, onConnecting)
      return dispatcher.destroy()
    },
  }
}

/** Published by undici before it connects. That is within `dispatch` when the request finds no free connection. */
const BEFORE_CONNECT = 'undici:client:beforeConnect'

const require = createRequire(import.meta.url)

/** Settings of the connection to the server. */
type Connect = { readonly rejectUnauthorized?: false; readonly timeout?: number }
type PoolOptions = Omit<ClientOptions, 'connectMs' | 'environmentProxy'>

/**
 * Returns the plain agent when no proxy is set: the other one parses each origin anew, and it needs the whole package,
 * which takes three times as long to load.
 */
function dispatcherOf(env: NodeJS.ProcessEnv, options: PoolOptions, tls: Connect): Dispatcher {
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => env[name])
  if (!proxied) return new Agent({ ...options, connect: tls })
  return new (undici().EnvHttpProxyAgent)({ ...options, connect: tls, requestTls: tls })
}

/** Sends everything through one proxy: by an HTTP tunnel (CONNECT), also for plain HTTP, or by SOCKS5. */
function proxyDispatcher(proxy: string, options: PoolOptions, tls: Connect): Dispatcher {
  const { protocol, username, password } = new URL(proxy)
  const { Agent, Pool, ProxyAgent, buildConnector: connector } = undici()
  if (protocol !== 'socks5:') {
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    const token = username === '' ? {} : { token: `Basic ${Buffer.from(login).toString('base64')}` }
    const clientFactory = (origin: URL, options: object) => {
      const { connect } = options as { connect: buildConnector.connector }
      return new Pool(origin, { ...options, connect: namingProxy(connect) })
    }
    return new ProxyAgent({ ...options, uri: proxy, requestTls: tls, clientFactory, ...token })
  }
  const secure = connector(tls)
  return new Agent({
    ...options,
    connect(target, callback) {
      const isSecure = target.protocol === 'https:'
      const destination = { host: target.hostname, port: Number(target.port || (isSecure ? 443 : 80)) }
      connectBySocks(proxy, destination).then(
        (socket) => (isSecure ? secure({ ...target, httpSocket: socket }, callback) : callback(null, socket)),
        (error: Error) => callback(error, null),
      )
    },
  })
}

/** Says of a failed connection that it was the one to the proxy. */
function namingProxy(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (error, socket) => {
      if (error === null) return callback(null, socket)
      const { code } = error as NodeJS.ErrnoException
      callback(Object.assign(new Error(`HTTP proxy: ${error.message}`, { cause: error }), { code }), null)
    })
}

const undici = (): typeof import('undici') => require('undici')
