import assert from 'node:assert/strict'
import test from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import { errorOf, serve } from './harness.ts'

test('a wrong method is answered 405 with what is allowed', async (t) => {
  const { ask } = await serve(t)
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'HEAD']) {
    const answer = await ask('/api/incidents', { method })
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST, OPTIONS'], method)
    if (method !== 'HEAD') assert.equal(errorOf(answer), 'method not allowed')
  }
})

test('unknown and odd paths are answered 404', async (t) => {
  const { ask } = await serve(t)
  const plain =
    '/ /api/incident /api/incidents/ /api/incidents/z/z /nowhere /..%2f..%2fetc%2fpasswd /a/../../b //healthz /%68ealthz /%ff%00 /metrics /index.html /api/admin'
  const paths = [...plain.split(' '), `/${'a'.repeat(2000)}`]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await ask(path, { method })
      assert.equal(answer.status, 404, `${method} ${path}`)
      assert.equal(errorOf(answer), 'not found')
    }
  }
})

test('HEAD is GET without the body and OPTIONS names the methods', async (t) => {
  const { ask } = await serve(t, { metrics: async () => 'up 1\n' })
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    const [get, head] = [await ask(path), await ask(path, { method: 'HEAD' })]
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', get.headers['content-length']])
    const options = await ask(path, { method: 'OPTIONS' })
    assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS'])
  }
  assert.equal((await ask('/nowhere', { method: 'HEAD' })).status, 404)
})

test('health routes answer alive, ready, and the names of the parts that are not ready', async (t) => {
  const missing: string[] = []
  const { ask } = await serve(t, { ready: async () => missing })
  assert.equal((await ask('/healthz')).text, '{"status":"ok"}')
  assert.equal((await ask('/readyz')).text, '{"status":"ready"}')
  missing.push('store', 'sender/chatws')
  const answer = await ask('/readyz')
  assert.deepEqual([answer.status, answer.text], [503, '{"error":"not ready: store, sender/chatws"}'])
})

test('a readiness check that fails is answered as an error', async (t) => {
  const { ask } = await serve(t, {
    ready: async () => {
      throw new CodedError('ask_timeout')
    },
  })
  assert.equal((await ask('/readyz')).status, 503)
})

test('concurrent readiness requests share one check', async (t) => {
  const gate = Promise.withResolvers<readonly string[]>()
  let checks = 0
  const { ask, front } = await serve(t, {
    ready: () => {
      checks++
      return gate.promise
    },
  })
  const answers = [1, 2, 3].map(() => ask('/readyz'))
  while (front.inflight() < 3) await new Promise(setImmediate)
  gate.resolve([])
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200)
  assert.equal(checks, 1)
})

test('metrics are text and a failure to collect them is 500', async (t) => {
  let fail = false
  const { ask, errors } = await serve(t, {
    metrics: async () => {
      if (fail) throw new Error('private')
      return 'up 1\n'
    },
  })
  const answer = await ask('/metrics')
  assert.deepEqual([answer.status, answer.text], [200, 'up 1\n'])
  assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/)
  fail = true
  assert.equal((await ask('/metrics')).status, 500)
  assert.equal(errors.length, 1)
})
