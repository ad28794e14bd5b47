import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import { answering, errorOf } from '../http/harness.ts'
import { HOST, notification } from './messages.ts'
import { certificatesAsked, setup } from './setup.ts'

for (const [what, code, submit] of [
  ['with no place for it', 'ingest_full', () => 'ingest_full' as const],
  ['whose disk is full', 'storage_full', answering(() => ({ kind: 'refused', code: 'storage_full' }))],
] as const)
  test(`a service ${what} has the topic send again`, async (t) => {
    const { send, sign, log } = await setup(t, { submit })
    const answer = await send(sign(notification()))
    assert.equal(answer.status, 503)
    assert.ok(answer.headers['retry-after'])
    assert.deepEqual(
      log.lines.map((line) => line.code),
      [code],
    )
  })

test('many addresses that hang block neither messages with known certificates nor other answers', async (t) => {
  const { send, sign, net, intakes } = await setup(t, { deadlineMs: 60_000 })
  const { answer } = net
  const gate = Promise.withResolvers<void>()
  net.answer = (asked) => (asked.url.startsWith('/slow') ? { status: 404, after: gate.promise } : answer(asked))
  assert.equal((await send(sign(notification()))).status, 200)
  const slow = (n: number) => send(sign(notification({ SigningCertURL: `https://${HOST}/slow-${n}.pem` })))
  const held = Array.from({ length: 8 }, (_, n) => slow(n))
  while (certificatesAsked(net) < 9) await new Promise(setImmediate)
  const more = await slow(99)
  assert.deepEqual([more.status, errorOf(more)], [503, 'too many topic messages are being verified'])
  assert.equal((await send(sign(notification()))).status, 200)
  assert.equal(intakes.length, 2)
  gate.resolve()
  assert.deepEqual([...new Set((await Promise.all(held)).map(({ status }) => status))], [400])
})

test('messages that wait for a certificate are bounded, and more are refused at once', async (t) => {
  const { sign, handler } = await setup(t)
  const gate = Promise.withResolvers<never>()
  const answer = handler({ keyAt: () => gate.promise })
  const request = {
    params: {},
    query: '',
    headers: {},
    address: '127.0.0.1',
    network: '7f000001',
    body: Buffer.from(JSON.stringify(sign(notification()))),
  }
  const waiting = Promise.allSettled(Array.from({ length: 256 }, () => answer(request)))
  await assert.rejects(answer(request), { code: 'topic_busy' })
  gate.reject(new CodedError('topic_certificate'))
  await waiting
  await assert.rejects(answer(request), { code: 'topic_certificate' })
})
