import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import tls from 'node:tls'
import { type Identity, issue } from './authority.ts'

export interface Asked {
  readonly host: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}
export interface Served {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Buffer
  readonly hang?: true
  /** The answer waits for it. */
  readonly after?: Promise<unknown>
}

/**
 * Stand-in of the internet: one HTTP proxy, set in the environment variables, that answers for every host. Only this
 * process trusts its certificate authority. A host in `impostors` shows the certificate of another host.
 */
export interface Internet {
  readonly root: Identity
  /** Signs as the topic service does. */
  readonly signer: Identity
  /** Hosts that the proxy was asked to connect to, with their port. */
  readonly connects: string[]
  readonly asked: Asked[]
  readonly impostors: Set<string>
  /** The proxy reaches nothing. */
  down: boolean
  /** Absent: 404. */
  answer: (asked: Asked) => Served | undefined
}

const root = issue({ cn: 'Root of the test' })
const other = issue({ cn: 'Root of another authority' })
/** Made once in a process: a key takes longer than most tests. */
const signer = issue({ cn: 'sns.amazonaws.com', hosts: ['sns.amazonaws.com'], issuer: root })
const contexts = new Map<string, tls.SecureContext>()

export async function startInternet(t: TestContext): Promise<Internet> {
  const net: Internet = {
    root,
    signer,
    connects: [],
    asked: [],
    impostors: new Set(),
    down: false,
    answer: () => undefined,
  }
  const contextOf = (host: string) => {
    const issuer = net.impostors.has(host) ? other : root
    const name = `${issuer === root} ${host}`
    const known = contexts.get(name)
    if (known !== undefined) return known
    const { keyPem, pem } = issue({ cn: host, hosts: [host], issuer })
    const context = tls.createSecureContext({ key: keyPem, cert: pem })
    contexts.set(name, context)
    return context
  }
  const serve = async (req: http.IncomingMessage, res: http.ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const asked = { host: hostOf(req), url: req.url ?? '', headers: req.headers, body }
    net.asked.push(asked)
    const { status = 200, headers, body: said, hang, after } = net.answer(asked) ?? { status: 404 }
    await after
    if (!hang) res.writeHead(status, headers).end(said)
  }
  const inside = https.createServer({ SNICallback: (host, done) => done(null, contextOf(host)) }, serve)
  inside.on('tlsClientError', () => {})
  const proxy = http.createServer(serve)
  const sockets = new Set<Socket>()
  proxy.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  proxy.on('connect', (req, socket: Socket) => {
    net.connects.push(req.url ?? '')
    if (net.down) return socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    inside.emit('connection', socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  useProxy(t, `http://127.0.0.1:${port}`)
  trust(t, root)
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  return net
}

/** Plain requests through a proxy carry the whole address. */
const hostOf = ({ headers, url = '' }: http.IncomingMessage) =>
  URL.parse(url)?.host ?? String(headers.host).replace(/:443$/, '')

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy']

function useProxy(t: TestContext, address: string): void {
  const before = VARIABLES.map((name) => [name, process.env[name]] as const)
  for (const name of VARIABLES) process.env[name] = address
  process.env.NO_PROXY = process.env.no_proxy = '127.0.0.1,localhost'
  t.after(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })
}

function trust(t: TestContext, root: Identity): void {
  const before = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...before, root.pem])
  t.after(() => tls.setDefaultCACertificates(before))
}
