import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { forwardPublic } from '../../actors/main/replicas/forwarded-routes.ts'
import { LeaderClient } from '../../actors/main/replicas/leader-client.ts'
import type { PublicRequest, PublicRoute } from '../../src/http/contract.ts'

const SECRET = 'gateway-secret-of-the-test'
const OWN = { address: '198.51.100.7', network: 'c6336407' }
const NAMED = '203.0.113.9 cb007109'

/** A leader that answers with the client it sees. */
function leader(t: TestContext, gatewaySecret: string) {
  const self = { name: 'a', address: 'http://127.0.0.1:1', self: true }
  const client = new LeaderClient({
    cluster: { leader: () => self, watch() {} } as never,
    gatewaySecret: () => gatewaySecret,
  })
  t.after(() => client.close())
  const route: PublicRoute = {
    method: 'POST',
    path: '/door',
    unavailable: () => ({ status: 503, body: '', headers: {} }),
    answer: async ({ address, network }) => ({ status: 200, body: `${address} ${network}`, headers: {} }),
  }
  const [forwarded = assert.fail()] = forwardPublic([route], client)
  return async (headers: PublicRequest['headers']) =>
    (await forwarded.answer({ params: {}, query: '', body: Buffer.alloc(0), headers, ...OWN })).body
}

test('only a replica with the gateway secret names the client of a request that it sent on', async (t) => {
  const seenBy = leader(t, SECRET)
  const own = `${OWN.address} ${OWN.network}`
  assert.equal(await seenBy({ 'x-tocsin-replica': SECRET, 'x-tocsin-client': NAMED }), NAMED)
  for (const headers of [
    { 'x-tocsin-client': NAMED },
    { 'x-tocsin-client': NAMED, 'x-tocsin-replica': 'guess' },
    { 'x-tocsin-client': NAMED, 'x-tocsin-forwarded': '1', 'x-gateway-secret': SECRET },
    { 'x-tocsin-client': 'nonsense', 'x-tocsin-replica': SECRET },
  ])
    assert.equal(await seenBy(headers), own, JSON.stringify(headers))
  const open = leader(t, '')
  assert.equal(await open({ 'x-tocsin-client': NAMED, 'x-tocsin-replica': '' }), own)
})
