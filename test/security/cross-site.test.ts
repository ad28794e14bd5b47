import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminRoute } from '../../src/http/contract.ts'
import { SECRET, serve } from '../http/harness.ts'

const FOREIGN = 'https://elsewhere.example'
/** Content types that a page of another site can have a browser send without a preflight (safelisted by the Fetch standard). */
const UNASKED = ['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

test('no page of another site can raise an incident through the browser of its reader', async (t) => {
  const { ask, intakes } = await serve(t)
  for (const type of UNASKED)
    for (const origin of [FOREIGN, 'null']) {
      const headers = { Origin: origin, ...(type === '' ? {} : { 'Content-Type': type }) }
      const answer = await ask('/api/incidents', { method: 'POST', headers, body: '{"title":"forged"}' })
      assert.equal(answer.status, 415, `${type} from ${origin}`)
    }
  assert.deepEqual(intakes, [])
  assert.equal((await ask('/api/incidents', { method: 'POST', body: '{"title":"of a program"}' })).status, 201)
  const headers = { Origin: FOREIGN, 'Content-Type': 'application/json' }
  assert.equal((await ask('/api/incidents', { method: 'POST', headers, body: '{"title":"asked first"}' })).status, 201)
})

const ROUTES: readonly AdminRoute[] = [
  { method: 'POST', path: '/api/admin/deliveries/replay', answer: async () => ({ status: 200, json: {} }) },
]

test('a browser that asks whether a page of another site may send more is never told yes', async (t) => {
  const { ask } = await serve(t, { admin: ROUTES })
  const preflight = {
    Origin: FOREIGN,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type, x-gateway-secret',
  }
  for (const path of ['/api/incidents', '/api/admin/deliveries/replay', '/api/admin/nosuch', '/', '/healthz']) {
    const { headers } = await ask(path, { method: 'OPTIONS', headers: preflight })
    const granted = Object.keys(headers).filter((name) => name.startsWith('access-control-'))
    assert.deepEqual(granted, [], path)
  }
})

test('a browser carries nothing by itself that an operator could be taken for', async (t) => {
  const { ask } = await serve(t, { admin: ROUTES })
  const path = '/api/admin/deliveries/replay'
  const carried = {
    Cookie: `X-Gateway-Secret=${SECRET}`,
    Authorization: `Basic ${btoa(`x:${SECRET}`)}`,
    Origin: FOREIGN,
  }
  const answer = await ask(path, { method: 'POST', headers: carried })
  assert.deepEqual(
    [answer.status, answer.headers['set-cookie'], answer.headers['www-authenticate']],
    [401, undefined, undefined],
  )
  const right = await ask(path, { method: 'POST', headers: { 'X-Gateway-Secret': SECRET } })
  assert.deepEqual([right.status, right.headers['set-cookie']], [200, undefined])
})
