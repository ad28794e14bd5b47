import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createPost } from '../../src/outbound/post.ts'
import { type PostAnswer, PostFailure } from '../../src/outbound/response-outcome.ts'
import { forever } from '../channels/setup.ts'
import { startStandIn } from '../harness/providers.ts'
import { UNTRUSTED } from '../harness/stand-ins/certificate.ts'

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

/** A server that counts its connections, and a client for it. */
async function given(t: TestContext, onRequest: RequestListener) {
  const server = createHttp(onRequest)
  let connections = 0
  server.on('connection', () => connections++)
  const post = createPost()
  t.after(() => post.close())
  t.after(() => server.closeAllConnections())
  const port = await listening(t, server)
  const ask = (json: unknown = {}): Promise<PostAnswer> =>
    post({ url: `http://127.0.0.1:${port}/x?y=1`, json, signal: forever })
  return { ask, port, connections: () => connections }
}

async function failureOf(sent: Promise<unknown>): Promise<PostFailure> {
  try {
    await sent
  } catch (error) {
    assert.ok(error instanceof PostFailure)
    return error
  }
  assert.fail('an answer came')
}

/** One more than the requests under way: a connection is busy until its answer was handed over. */
const KEPT = 2

test('posts JSON and keeps the connection for the next requests', async (t) => {
  const seen: string[] = []
  const { ask, connections } = await given(t, async (req, res) => {
    const body = (await req.toArray()).join('')
    seen.push(`${req.method} ${req.url} ${req.headers['content-type']} ${body}`)
    res.setHeader('X-Answer', ['one', 'two']).end('thanks')
  })
  for (let n = 1; n <= 9; n++) {
    const answer = await ask({ n })
    assert.deepEqual([answer.status, answer.body, answer.headers['x-answer']], [200, 'thanks', 'one'])
  }
  assert.equal(seen[8], 'POST /x?y=1 application/json; charset=utf-8 {"n":9}')
  assert.ok(connections() <= KEPT)
})

test('reports a connection that was made, and not a kept one', async (t) => {
  const { port } = await given(t, (_req, res) => res.end('thanks'))
  const post = createPost()
  t.after(() => post.close())
  const url = `http://127.0.0.1:${port}/`
  let connected = 0
  const ask = () => post({ url, json: {}, signal: forever, onConnected: () => connected++ })
  await Promise.all([ask(), ask()])
  assert.equal(connected, 2)
  for (let n = 0; n < 5; n++) await ask()
  assert.ok(connected <= KEPT)
})

test('a long answer is cut at 64 KiB and its connection serves the next requests', async (t) => {
  const { ask, connections } = await given(t, (_req, res) => res.end('é'.repeat(60_000)))
  assert.equal(Buffer.byteLength((await ask()).body.replace(/\ufffd$/, '')), 64 * 1024)
  for (let n = 1; n <= 9; n++) assert.equal((await ask()).status, 200)
  assert.ok(connections() <= KEPT)
})

test('an endless answer costs the provider its connection and nothing else', async (t) => {
  const endless = Buffer.alloc(16 * 1024, 'x')
  const { ask, connections } = await given(t, (req, res) => {
    const more = () => {
      while (res.write(endless));
      res.once('drain', more)
    }
    if (connections() === 1) more()
    else res.end('short')
    req.resume()
  })
  assert.equal((await ask()).body.length, 64 * 1024)
  assert.equal((await ask()).body, 'short')
})

test('an answer that stops or breaks in the middle is a failure', async (t) => {
  const { ask, port, connections } = await given(t, (req, res) => {
    req.resume()
    res.writeHead(200, { 'content-length': '100' }).write('the first half')
    if (connections() === 1) setImmediate(() => res.socket?.resetAndDestroy())
  })
  const cut = await failureOf(ask())
  assert.deepEqual([cut.written, cut.code], [true, 'provider_silent'])
  const post = createPost()
  const deadline = new AbortController()
  const stopped = failureOf(post({ url: `http://127.0.0.1:${port}/`, json: {}, signal: deadline.signal }))
  while (connections() < 2) await new Promise(setImmediate)
  deadline.abort()
  assert.equal((await stopped).code, 'provider_silent')
  await post.close()
})

test('a redirect is an answer like any other', async (t) => {
  let requests = 0
  const { ask } = await given(t, (_req, res) => {
    requests++
    res.writeHead(307, { location: '/elsewhere' }).end()
  })
  assert.equal((await ask()).status, 307)
  assert.equal(requests, 1)
})

test('a request whose deadline passes before it is written is known not to have been sent', async (t) => {
  const server = createTcp()
  const port = await listening(t, server)
  const post = createPost()
  const deadline = new AbortController()
  const sent = failureOf(post({ url: `https://127.0.0.1:${port}/`, json: {}, signal: deadline.signal }))
  const [socket] = await once(server, 'connection')
  deadline.abort()
  const { written, code } = await sent
  assert.deepEqual([written, code], [false, 'provider_unreachable'])
  socket.destroy()
  await post.close()
})

test('a request whose deadline has passed is not sent', async (t) => {
  const provider = await startStandIn(t, 'webhook')
  const post = createPost()
  const { written } = await failureOf(post({ url: provider.url, json: {}, signal: AbortSignal.abort() }))
  await post.close()
  assert.deepEqual([written, provider.requests.length], [false, 0])
})

test('a request with an invalid address or header is known not to have been sent', async () => {
  const post = createPost()
  const faulty = [{ url: 'not an address' }, { url: 'http://127.0.0.1:9/', headers: { authorization: 'two\nlines' } }]
  for (const request of faulty) {
    const failure = await failureOf(post({ ...request, json: {}, signal: forever }))
    assert.equal(failure.written, false)
    assert.notEqual(failure.reason, '')
  }
  await post.close()
})

test('the environment names the proxy and the hosts that need none', async (t) => {
  const provider = await startStandIn(t, 'webhook')
  const { tunnels, post } = await proxied(t, 'HTTP_PROXY', provider.port)
  await post({ url: 'http://provider.invalid/through', json: {}, signal: forever })
  await post({ url: `${provider.url}/direct`, json: {}, signal: forever })
  await post.close()
  assert.deepEqual(tunnels, ['provider.invalid:80'])
  assert.deepEqual(
    provider.requests.map(({ path }) => path),
    ['/through', '/direct'],
  )
})

test('TLS goes through the proxy to the provider itself, whose certificate is looked at', async (t) => {
  const provider = await startStandIn(t, 'webhook', { tls: UNTRUSTED })
  const { tunnels, post } = await proxied(t, 'HTTPS_PROXY', provider.port)
  const { written, reason } = await failureOf(post({ url: 'https://provider.invalid/x', json: {}, signal: forever }))
  await post.close()
  assert.deepEqual([written, tunnels, provider.requests.length], [false, ['provider.invalid:443'], 0])
  assert.match(reason, /self.signed/i)
})

/** A proxy that the environment names, which leads every tunnel to one port, and a client that uses it. */
async function proxied(t: TestContext, variable: 'HTTP_PROXY' | 'HTTPS_PROXY', providerPort: number) {
  const tunnels: string[] = []
  const proxy = createHttp()
  proxy.on('connect', (req, client) => {
    tunnels.push(req.url ?? '')
    const upstream = connect(providerPort, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    for (const socket of [client, upstream]) socket.on('error', () => {})
    upstream.pipe(client).pipe(upstream)
  })
  const port = await listening(t, proxy)
  t.after(() => proxy.closeAllConnections())
  const environment = { [variable]: `http://127.0.0.1:${port}`, NO_PROXY: '127.0.0.1' }
  Object.assign(process.env, environment)
  t.after(() => Object.keys(environment).forEach((name) => void delete process.env[name]))
  return { tunnels, post: createPost() }
}
