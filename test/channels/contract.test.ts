import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Channel } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import { idTarget, type Outcome } from '../../src/domain/delivery/delivery.ts'
import { type Provider, type Reply, startProvider } from '../../src/simulator/index.ts'
import { startStandIn } from '../harness/providers.ts'
import { UNTRUSTED } from '../harness/stand-ins/certificate.ts'
import { FAULTS } from '../harness/stand-ins/faults.ts'
import { channelOf, forever, keysFor, messageOf, NOW, SECRETS } from './setup.ts'

const login = { user: 'bell@example.test', pass: SECRETS.email }
type ChannelProvider = keyof typeof FAULTS
const KINDS = Object.keys(FAULTS) as ChannelProvider[]
/** Channels whose providers give each message an id. */
const WITH_IDS = new Set<ChannelProvider>(['chatws', 'msgapp', 'messenger', 'email'])
const WITH_CHATS = new Set<ChannelProvider>(['chatws', 'msgapp', 'messenger'])
const WITH_TARGETS = new Set<ChannelProvider>(['chatws', 'msgapp', 'messenger', 'officechat', 'ntfy'])

for (const kind of KINDS) describe(`${kind}: the contract of a channel`, () => contract(kind))

function contract(kind: ChannelProvider): void {
  const faults = FAULTS[kind]
  let provider: Provider
  let channel: Channel

  before(async () => {
    provider = await startProvider(kind, { login })
    channel = channelOf(kind, keysFor(kind, provider))
  })
  after(async () => {
    await channel.close?.()
    await provider.close()
  })

  async function answered(reply: Reply): Promise<Outcome> {
    provider.next(reply)
    const outcome = await channel.send(messageOf(), forever)
    if (outcome.kind !== 'sent') assertHoldsNoSecret(outcome.reason)
    return outcome
  }

  function assertHoldsNoSecret(reason: string): void {
    const secret = SECRETS[kind]
    const spellings = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
    for (const each of spellings) assert.ok(!reason.includes(each), reason)
    assert.match(reason, /^[^\n\r]{1,300}$/)
  }

  it("sends, and keeps the provider's id of the message", async () => {
    const outcome = await channel.send(messageOf({ text: 'shard 7 is down' }), forever)
    assert.equal(outcome.kind, 'sent')
    await provider.waitFor(({ text }) => text.includes('shard 7 is down'))
    assert.equal(typeof (outcome.kind === 'sent' && outcome.messageId) === 'string', WITH_IDS.has(kind))
  })

  for (const [name, reply] of Object.entries(faults.passing))
    it(`tries again after ${name}`, async () => {
      const { kind: outcome, ...rest } = await answered(reply)
      assert.equal(outcome, 'retry')
      assert.ok(!('mayDuplicate' in rest))
    })

  for (const [name, reply] of Object.entries(faults.final))
    it(`gives up after ${name}`, async () => {
      assert.equal((await answered(reply)).kind, 'failed')
    })

  for (const [name, reply] of Object.entries(faults.garbage))
    it(`may send twice after ${name}`, async () => {
      const outcome = await answered(reply)
      assert.equal(outcome.kind === 'retry' && outcome.mayDuplicate, true)
    })

  if (faults.limited)
    it('tries again after the delay that the provider named', async () => {
      const outcome = await answered(faults.limited?.(7) ?? {})
      assert.equal(outcome.kind === 'retry' && outcome.afterMs, 7_000)
    })

  if (kind !== 'email')
    it('understands Retry-After in seconds, with a fraction, as a date to come and as a date gone by', async () => {
      const written = ['3', '0.25', new Date(NOW + 5_000).toUTCString(), new Date(NOW - 5_000).toUTCString(), 'soon']
      const afterMs = []
      for (const value of written) {
        const outcome = await answered({ status: 503, headers: { 'retry-after': value }, body: 'busy' })
        afterMs.push(outcome.kind === 'retry' && outcome.afterMs)
      }
      assert.deepEqual(afterMs, [3_000, 250, 5_000, 0, undefined])
    })

  it('ends at the deadline, and may send twice', async () => {
    provider.next({ hang: true })
    const deadline = new AbortController()
    const sent = channel.send(messageOf({ text: 'never answered' }), deadline.signal)
    await provider.waitFor(({ text }) => text.includes('never answered'))
    deadline.abort()
    const outcome = await sent
    assert.equal(outcome.kind === 'retry' && outcome.mayDuplicate, true)
  })

  it('may send twice when the connection is cut after the message was written', async () => {
    const outcome = await answered({ reset: true })
    assert.equal(outcome.kind === 'retry' && outcome.mayDuplicate, true)
  })

  it('works after all of these failures', async () => {
    assert.equal((await channel.send(messageOf(), forever)).kind, 'sent')
  })

  it('knows that nothing was sent when the connection is refused', async (t) => {
    const gone = await startProvider(kind)
    await gone.close()
    await unsent(t, channelOf(kind, keysFor(kind, gone)), /ECONNREFUSED/)
  })

  it('knows that nothing was sent when the certificate is not trusted', async (t) => {
    const impostor = await startStandIn(t, kind, { tls: UNTRUSTED })
    await unsent(t, channelOf(kind, keysFor(kind, impostor)), /self.signed/i)
    assert.equal(impostor.requests.length, 0)
  })

  async function unsent(t: TestContext, to: Channel, reason: RegExp): Promise<void> {
    t.after(() => to.close?.())
    const outcome = await to.send(messageOf(), forever)
    assert.ok(outcome.kind === 'retry' && !outcome.mayDuplicate, JSON.stringify(outcome))
    assert.match(outcome.reason, reason)
    assertHoldsNoSecret(outcome.reason)
  }

  it('repeats no secret that the provider repeats', async () => {
    const secret = SECRETS[kind]
    const url = provider.requests[0]?.url ?? ''
    const said = `you sent ${secret} ${encodeURIComponent(secret)} ${JSON.stringify({ secret })} to ${url} ${'.'.repeat(400)}`
    const outcome = await answered(kind === 'email' ? { status: 550, body: said } : { status: 400, body: said })
    assert.match(outcome.kind === 'failed' ? outcome.reason : '', /\[redacted\]/)
  })

  it('the longest allowed text fits in the largest body that the provider takes', async () => {
    const { max, unit } = CHANNELS[kind].text.limit
    const text = unit === 'json-bytes' ? '漢'.repeat(max / 3) : '漢'.repeat(max)
    assert.equal((await channel.send(messageOf({ text, title: '漢'.repeat(200) }), forever)).kind, 'sent')
    const last = provider.requests.at(-1)
    assert.ok(Buffer.byteLength(last?.body ?? '') <= (MAX_BYTES[kind] ?? 0), String(last?.body.length))
  })

  it('sends to another destination by its name, and refuses an unknown name', async () => {
    const before = provider.requests.length
    const unknown = await channel.send(messageOf({ target: 'constructor' }), forever)
    assert.deepEqual([unknown.kind, provider.requests.length], ['failed', before])
    if (!WITH_TARGETS.has(kind)) return
    assert.equal((await channel.send(messageOf({ target: 'night' }), forever)).kind, 'sent')
    const last = provider.requests.at(-1)
    assert.ok(`${last?.url} ${last?.body}`.includes('other-place'))
  })

  it('sends to an id that no name has only where ids are accepted', async () => {
    if (!WITH_CHATS.has(kind)) return
    const toId = messageOf({ target: idTarget('chat-of-the-request') })
    const refused = await channel.send(toId, forever)
    assert.deepEqual([refused.kind, provider.requests.at(-1)?.body.includes('chat-of-the-request')], ['failed', false])
    const accepting = channelOf(kind, { ...keysFor(kind, provider), accept_ids: true })
    assert.equal((await accepting.send(toId, forever)).kind, 'sent')
    assert.match(provider.requests.at(-1)?.body ?? '', /"chat-of-the-request"/)
    assert.equal(accepting.destination(toId), 'id:chat-of-the-request')
    await accepting.close?.()
  })

  it('names destinations without a secret, a different one for each target', () => {
    const main = channel.destination(messageOf())
    assertHoldsNoSecret(main)
    assert.equal(main !== channel.destination(messageOf({ target: 'night' })), WITH_TARGETS.has(kind))
    assert.equal(channel.destination(messageOf({ target: 'constructor' })), main)
  })
}

/** The largest body that each provider documents. */
const MAX_BYTES: { readonly [Kind in ChannelProvider]: number } = {
  chatws: 200_000,
  msgapp: 40_000,
  messenger: 30_000,
  officechat: 28_000,
  workchat: 20_000,
  email: 10_000_000,
  ntfy: 4_096,
}
