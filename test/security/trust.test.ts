import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/net/requests.ts'
import { end, startProcess } from '../harness/process.ts'
import { issue } from '../topic/authority.ts'

interface Tried {
  readonly ok: boolean
  readonly detail: string
}

/** A chat whose certificate an authority of the test's own has issued, and what trying the channel out comes to. */
async function given(t: TestContext) {
  const root = issue({ cn: 'Root of the house' })
  const { keyPem, pem } = issue({ cn: 'localhost', hosts: ['localhost'], issuer: root })
  const seen: string[] = []
  const server = createServer({ key: keyPem, cert: pem }, (req, res) => {
    seen.push(String(req.headers.authorization))
    req.resume()
    res.end('{"ok":true,"ts":"1"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const api_url = `https://localhost:${(server.address() as AddressInfo).port}`
  const dir = folder()
  const chatws = { enable: true, token: 'xoxb-planted', channel_id: 'C1', api_url, ...FAST }
  const file = configFile(dir, { alert: { chatws }, log: { level: 'info' } })
  const ca = join(dir, 'house.pem')
  writeFileSync(ca, root.pem)
  const tried = async (env: NodeJS.ProcessEnv) => {
    const { url, child } = await startProcess(t, file, env)
    const headers = { 'X-Gateway-Secret': SECRET }
    const answer = await fetch(`${url}/api/admin/channels/chatws/test`, { method: 'POST', headers })
    const said = (await answer.json()) as Tried
    await end(child)
    return said
  }
  return { ca, seen, tried }
}

test('a provider is believed by the authorities of the machine and those of NODE_EXTRA_CA_CERTS, and by no other', async (t) => {
  const { ca, seen, tried } = await given(t)
  const stranger = await tried({ NODE_EXTRA_CA_CERTS: '' })
  assert.deepEqual(
    [stranger.ok, /certificate|self.signed|issuer/i.test(stranger.detail)],
    [false, true],
    stranger.detail,
  )
  assert.deepEqual(seen, [], 'the token was shown to a stranger')
  const known = await tried({ NODE_EXTRA_CA_CERTS: ca })
  assert.deepEqual([known.ok, seen], [true, ['Bearer xoxb-planted']], known.detail)
})
