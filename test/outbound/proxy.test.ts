import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTls } from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { DIRECT, type NetworkSettings } from '../../src/outbound/network.ts'
import { createPost } from '../../src/outbound/post.ts'
import { PostFailure } from '../../src/outbound/response-outcome.ts'
import { channelOf, forever, keysFor, messageOf } from '../channels/setup.ts'
import { startHttpProxy, startSocksProxy, type TestProxy } from '../harness/net/proxies.ts'
import { startStandIn } from '../harness/providers.ts'
import { UNTRUSTED } from '../harness/stand-ins/certificate.ts'
import { issue } from '../topic/authority.ts'

const START = { http: startHttpProxy, socks5: startSocksProxy }
type Scheme = keyof typeof START
const SCHEMES = Object.keys(START) as Scheme[]

const through = (scheme: Scheme, { port }: TestProxy, login = ''): NetworkSettings => ({
  ...DIRECT,
  proxy: `${scheme}://${login}127.0.0.1:${port}`,
})

function postBy(t: TestContext, network: NetworkSettings) {
  const post = createPost(network)
  t.after(() => post.close())
  return (url: string) => post({ url, json: { n: 1 }, signal: forever })
}

async function failureOf(sent: Promise<unknown>): Promise<PostFailure> {
  const error = await sent.then(
    () => assert.fail('an answer came'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof PostFailure, String(error))
  return error
}

async function webhook(t: TestContext) {
  const provider = await startStandIn(t, 'webhook')
  return provider
}

/** A provider with a certificate that it signed itself. */
async function selfSigned(t: TestContext) {
  const { keyPem, pem } = issue({ cn: 'provider.invalid', hosts: ['provider.invalid'] })
  let requests = 0
  const server = createTls({ key: keyPem, cert: pem }, (req, res) => {
    requests++
    req.resume()
    res.end('thanks')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, requests: () => requests }
}

/** Whether the library for SOCKS is in memory. */
const hasSocks = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => /node_modules\/socks\//.test(file))

test('without a SOCKS proxy its library is not loaded', async (t) => {
  const provider = await webhook(t)
  const proxy = await startHttpProxy(t, { to: provider.port })
  await postBy(t, DIRECT)(provider.url)
  await postBy(t, through('http', proxy))(provider.url)
  assert.equal(hasSocks(), false)
  const socks = await startSocksProxy(t, { to: provider.port })
  await postBy(t, through('socks5', socks))(provider.url)
  assert.equal(hasSocks(), true)
})

for (const scheme of SCHEMES) {
  test(`${scheme}: the proxy gets the name of the provider, and connections are kept`, async (t) => {
    const provider = await webhook(t)
    const proxy = await START[scheme](t, { to: provider.port })
    const send = postBy(t, through(scheme, proxy))
    for (const path of ['a', 'b', 'c']) await send(`http://provider.invalid/${path}`)
    assert.deepEqual([...new Set(proxy.tunnels)], ['provider.invalid:80'])
    assert.ok(proxy.tunnels.length < 3, 'a connection served more than one request')
    assert.deepEqual(
      provider.requests.map(({ path }) => path),
      ['/a', '/b', '/c'],
    )
    assert.equal(provider.requests[0]?.headers['proxy-authorization'], undefined)
  })

  test(`${scheme}: a login reaches the proxy with all its characters, and no error shows it`, async (t) => {
    const provider = await webhook(t)
    const password = 'p@ss:w/rd %é'
    const proxy = await START[scheme](t, { to: provider.port, login: `mallory:${password}` })
    const right = `mallory:${encodeURIComponent(password)}@`
    await postBy(t, through(scheme, proxy, right))('http://provider.invalid/')
    assert.equal(provider.requests.length, 1)
    const wrong = await failureOf(postBy(t, through(scheme, proxy, 'mallory:wr0ng-word@'))('http://provider.invalid/'))
    const none = await failureOf(postBy(t, through(scheme, proxy))('http://provider.invalid/'))
    assert.deepEqual([wrong.written, none.written, provider.requests.length], [false, false, 1])
    assert.doesNotMatch(wrong.message + JSON.stringify(wrong.cause) + String(wrong.cause), /wr0ng-word/)
  })

  test(`${scheme}: a certificate that the provider signed itself counts only with insecureSkipVerify`, async (t) => {
    const provider = await selfSigned(t)
    const proxy = await START[scheme](t, { to: provider.port })
    const network = through(scheme, proxy)
    const { written, reason } = await failureOf(postBy(t, network)('https://provider.invalid/'))
    assert.deepEqual([written, provider.requests()], [false, 0])
    assert.match(reason, /self.signed/i)
    const answer = await postBy(t, { ...network, insecureSkipVerify: true })('https://provider.invalid/')
    assert.deepEqual([answer.status, provider.requests()], [200, 1])
    assert.deepEqual([...new Set(proxy.tunnels)], ['provider.invalid:443'])
  })

  test(`${scheme}: a proxy that cannot be reached, or reaches nothing, is a request that was not sent`, async (t) => {
    const proxy = await START[scheme](t, { to: 0 })
    const refused = await failureOf(postBy(t, through(scheme, proxy))('http://provider.invalid/'))
    const gone = await failureOf(postBy(t, { ...DIRECT, proxy: `${scheme}://127.0.0.1:9` })('http://provider.invalid/'))
    assert.deepEqual([refused.written, refused.code], [false, 'provider_unreachable'])
    assert.deepEqual([gone.written, gone.code], [false, 'provider_unreachable'])
    assert.match(gone.reason, /proxy: connect ECONNREFUSED/)
    assert.deepEqual(proxy.tunnels, ['provider.invalid:80'])
  })

  test(`${scheme}: a redirect is not followed, and only the configured host is asked for`, async (t) => {
    const provider = await webhook(t)
    provider.next({ status: 307, headers: { location: 'http://inside.invalid/' } })
    const proxy = await START[scheme](t, { to: provider.port })
    const { status } = await postBy(t, through(scheme, proxy))('http://provider.invalid/')
    assert.deepEqual([status, proxy.tunnels], [307, ['provider.invalid:80']])
  })

  test(`${scheme}: mail goes through the proxy, and a proxy that reaches nothing is tried again`, async (t) => {
    const provider = await startStandIn(t, 'email')
    const keys = { ...keysFor('email', provider), smtp_host: 'mail.invalid', username: '', password: '' }
    const mail = async (network: NetworkSettings) => {
      const channel = channelOf('email', { ...keys, from: 'bell@example.test' }, { network })
      const outcome = await channel.send(messageOf(), forever)
      await channel.close?.()
      return outcome
    }
    const login = 'mallory:word'
    const proxy = await START[scheme](t, { to: provider.port, login })
    assert.equal((await mail(through(scheme, proxy, `${login}@`))).kind, 'sent')
    assert.deepEqual([proxy.tunnels, provider.requests.length], [[`mail.invalid:${provider.port}`], 1])
    const nowhere = await START[scheme](t, { to: 0 })
    const outcome = await mail(through(scheme, nowhere))
    assert.ok(outcome.kind === 'retry' && outcome.mayDuplicate !== true, JSON.stringify(outcome))
  })
}

test('without a proxy a certificate that the provider signed itself counts only with insecureSkipVerify', async (t) => {
  const provider = await selfSigned(t)
  const url = `https://127.0.0.1:${provider.port}/`
  assert.equal((await failureOf(postBy(t, DIRECT)(url))).written, false)
  assert.equal((await postBy(t, { ...DIRECT, insecureSkipVerify: true })(url)).status, 200)
})

test('mail with STARTTLS accepts a certificate that the server signed itself only with insecureSkipVerify', async (t) => {
  const provider = await startStandIn(t, 'email', { tls: UNTRUSTED })
  const keys = { ...keysFor('email', provider), username: '', password: '', from: 'bell@example.test', tls: 'require' }
  for (const insecureSkipVerify of [false, true]) {
    const channel = channelOf('email', keys, { network: { ...DIRECT, insecureSkipVerify } })
    assert.equal((await channel.send(messageOf(), forever)).kind, insecureSkipVerify ? 'sent' : 'retry')
    await channel.close?.()
  }
})
