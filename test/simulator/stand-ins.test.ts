import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Provider, type ProviderKind, startProvider } from '../../src/simulator/index.ts'
import { startStandIn } from '../harness/providers.ts'
import { ChatLimiter, type Limit } from '../harness/stand-ins/limit.ts'

const started = (t: TestContext, kind: ProviderKind, limit?: Limit) =>
  startStandIn(t, kind, limit && { limiter: new ChatLimiter(limit) })

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

async function call({ url }: Provider, path: string, message: object): Promise<Answer> {
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(message) })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() }
}
const bodyOf = async (...args: Parameters<typeof call>) => (await call(...args)).body

test('a chat keeps messages by their ids and counts posts and edits', async (t) => {
  const chat = await started(t, 'chatws')
  const posted = { ok: true, channel: 'CALERTS', ts: '1700000000.000001' }
  assert.deepEqual(await bodyOf(chat, '/api/chat.postMessage', { channel: 'alerts', text: 'one' }), posted)
  await call(chat, '/api/chat.postMessage', { channel: 'C2', text: 'two' })
  assert.deepEqual(await bodyOf(chat, '/api/chat.update', { ...posted, text: 'ONE' }), posted)
  assert.deepEqual(
    chat.messages.map(({ chat: id, edits }) => [id, edits]),
    [
      ['CALERTS', 1],
      ['C2', 0],
    ],
  )
  assert.match(chat.messages[0]?.text ?? '', /ONE/)
  assert.deepEqual([chat.posts, chat.edits, chat.limited], [2, 1, 0])
})

test('a chat refuses an update by the name of a channel, in another channel, and of an unknown message', async (t) => {
  const chat = await started(t, 'chatws')
  await call(chat, '/api/chat.postMessage', { channel: 'alerts', text: 'one' })
  const ts = '1700000000.000001'
  for (const update of [
    { channel: 'alerts', ts },
    { channel: 'C2', ts },
    { channel: 'CALERTS', ts: '1.2' },
  ])
    assert.deepEqual(await bodyOf(chat, '/api/chat.update', update), { ok: false, error: 'message_not_found' })
  assert.equal(chat.edits, 0)
})

test('the other chat refuses an edit that changes nothing', async (t) => {
  const app = await started(t, 'msgapp')
  const message = { chat_id: '-1', text: 'one' }
  assert.deepEqual(await bodyOf(app, '/bot1:x/sendMessage', message), { ok: true, result: { message_id: 1 } })
  const edit = (text: string) => call(app, '/bot1:x/editMessageText', { ...message, message_id: 1, text })
  assert.deepEqual((await edit('two')).body, { ok: true, result: { message_id: 1 } })
  const { status, body } = await edit('two')
  assert.deepEqual([status, app.posts, app.edits], [400, 1, 1])
  assert.match(JSON.stringify(body), /message is not modified/)
})

test('methods that send no message are none, and a person hears nothing of a press that was never made', async (t) => {
  const app = await started(t, 'msgapp')
  const result = { id: 1, is_bot: true, first_name: 'Tocsin', username: 'tocsin_bot' }
  assert.deepEqual(await bodyOf(app, '/bot1:x/getMe', {}), { ok: true, result })
  assert.equal((await call(app, '/bot1:x/answerCallbackQuery', { callback_query_id: '7' })).status, 400)
  assert.deepEqual([app.posts, app.edits, app.taken.length], [0, 0, 0])
})

test('posts and edits share the limit of their chat, and a refusal names the delay', async (t) => {
  const limit = { perSecond: 0.001, burst: 2 }
  const chat = await started(t, 'chatws', limit)
  const post = (channel: string) => call(chat, '/api/chat.postMessage', { channel, text: 'x' })
  await post('C1')
  await call(chat, '/api/chat.update', { channel: 'C1', ts: '1700000000.000001', text: 'y' })
  const { status, retryAfter } = await post('C1')
  assert.equal(status, 429)
  assert.ok(Number(retryAfter) >= 400, String(retryAfter))
  assert.equal((await post('C2')).status, 200)
  assert.deepEqual([chat.posts, chat.edits, chat.limited], [2, 1, 1])

  const app = await started(t, 'msgapp', { ...limit, burst: 0.5 })
  await call(app, '/bot1:x/sendMessage', { chat_id: '-1', text: 'x' })
  assert.match(JSON.stringify(await bodyOf(app, '/bot1:x/sendMessage', { chat_id: '-1' })), /"retry_after":\d{3}/)
})

for (const kind of ['chatws', 'email'] as const)
  test(`${kind}: a stand-in that is down refuses connections, and is at its port again when it is up`, async (t) => {
    const provider = await started(t, kind)
    await provider.down()
    const url = `http://127.0.0.1:${provider.port}/api/chat.postMessage`
    const refused = await fetch(url, { method: 'POST', body: '{}' }).catch((error: Error) => error.cause)
    assert.match(String(refused), /ECONNREFUSED/)
    await provider.up()
    if (kind === 'chatws') assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 200)
    else await assert.rejects(fetch(url), (error: Error) => !/ECONNREFUSED/.test(String(error.cause)))
  })

test('a stand-in that is down can be closed', async () => {
  const provider = await startProvider('chatws')
  await provider.down()
  await provider.close()
})
