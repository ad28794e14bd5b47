import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SECRET, serve, Wire } from '../http/harness.ts'

const subscription = { refilter: () => {}, drained: () => {}, leave: () => {} }

async function given(t: TestContext) {
  const served = await serve(t, { tail: { join: () => subscription } })
  const ticket = async () => {
    const { text } = await served.ask('/api/admin/tail/ticket', {
      method: 'POST',
      headers: { 'X-Gateway-Secret': SECRET },
    })
    return (JSON.parse(text) as { ticket: string }).ticket
  }
  const upgrade = async (query: string, origin: string) => {
    const wire = await Wire.open(t, served.port)
    const lines = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${btoa('k'.repeat(16))}`,
    ]
    wire.write(`GET /api/admin/tail${query} HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\n${lines.join('\r\n')}\r\n\r\n`)
    return (await wire.statuses(1))[0]
  }
  return { ticket, upgrade }
}

test('a page of another site opens no live tail: it has no ticket, and a browser carries none for it', async (t) => {
  const { upgrade } = await given(t)
  for (const origin of ['https://elsewhere.example', 'null', 'http://x', 'file://'])
    for (const query of ['', '?ticket=', '?ticket=guessed', `?ticket=${encodeURIComponent(SECRET)}`])
      assert.equal(await upgrade(query, origin), 401, `${origin} ${query}`)
})

test('a ticket that was seen on its way opens nothing after its use', async (t) => {
  const { ticket, upgrade } = await given(t)
  const value = await ticket()
  assert.equal(await upgrade(`?ticket=${value}`, 'http://x'), 101)
  for (let again = 0; again < 3; again++) assert.equal(await upgrade(`?ticket=${value}`, 'http://x'), 401)
})
