import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { openapi } from '../../src/http/openapi/document.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { post, SECRET } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

const document = openapi('1.2.3')
/** Paths in the shape of other programs' APIs: the document names their contracts. */
const OF_DOORS = /^\w+ \/(ping|v1|v2|-|api\/v[12])\//
/** Routed only with a database that replicas share. */
const OF_REPLICAS = ['GET /api/admin/replicas', 'POST /api/admin/replicas/tail-tickets']

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
  assert.ok(valid, JSON.stringify(errors, null, 2))
})

test('the described routes are the served routes', async (t) => {
  const system = await startTestSystem(t, configFile(folder()))
  const served = (await (await fetch(`${system.url}/api/openapi.json`)).json()) as OpenApiDocument
  assert.deepEqual(served.paths, JSON.parse(JSON.stringify(document.paths)))
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  const missing = system.routes.filter((route) => !described.includes(route) && !OF_DOORS.test(route))
  const gone = described.filter((route) => !system.routes.includes(route) && !OF_REPLICAS.includes(route))
  assert.deepEqual(missing, [], 'routes to be described in src/http/openapi/*.ts')
  assert.deepEqual(gone, [], 'described in src/http/openapi/*.ts, but not routed')
})

test('answers have exactly the described fields', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const agent = { enable: true, mode: 'shadow', sources: [{ name: 'push', type: 'http', enable: true }] }
  const system = await startTestSystem(t, configFile(folder(), { alert, agent }))
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(system.url + path, {
      method,
      headers: {
        'X-Gateway-Secret': SECRET,
        'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json',
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, json: await answer.json() }
  }
  const fits = async (method: 'get' | 'post' | 'delete', template: string, path = template, body?: unknown) => {
    const { status, json } = await call(method.toUpperCase(), path, body)
    const mismatch = mismatchOf(`${method} ${template.replace(/:(\w+)/g, '{$1}')}`, status, json)
    assert.equal(mismatch, undefined, `${method} ${path}: ${status} ${JSON.stringify(json).slice(0, 2_000)}`)
    return json
  }
  const id = (await post(system.url, { title: 'disk full', severity: 'critical' })).headers.get('x-incident-id') ?? ''
  await post(system.url, { status: 'resolved', title: 'disk full' })
  await chat.waitFor(() => chat.requests.length >= 2)

  await fits('post', '/api/incidents', '/api/incidents', { a: 1 })
  await fits('post', '/api/incidents', '/api/incidents', [{ a: 1 }, { a: 2 }])
  await fits('post', '/api/incidents', '/api/incidents', 'not JSON')
  for (const path of ['/healthz', '/readyz']) await fits('get', path)
  await fits('get', '/api/admin/incidents', '/api/admin/incidents?limit=1&q=disk')
  await fits('get', '/api/admin/incidents', '/api/admin/incidents?limit=none')
  await fits('get', '/api/admin/incidents/:id', `/api/admin/incidents/${id}`)
  await fits('get', '/api/admin/incidents/:id', '/api/admin/incidents/none')
  for (const action of ['resend', 'ack', 'resolve'])
    await fits('post', `/api/admin/incidents/:id/${action}`, `/api/admin/incidents/${id}/${action}`)
  await fits('get', '/api/admin/answers')
  await fits('get', '/api/admin/deliveries')
  await fits('get', '/api/admin/routes')
  await fits('get', '/api/admin/digests')
  await fits('get', '/api/admin/digests/:number', '/api/admin/digests/1')
  await fits('get', '/api/admin/slo')
  await fits('get', '/api/admin/incidents/:id/explain', `/api/admin/incidents/${id}/explain`)
  await fits('post', '/api/admin/explain', undefined, { payload: { title: 'x' } })
  await fits('post', '/api/admin/deliveries/replay', undefined, { state: 'dead' })
  await fits('post', '/api/admin/render', undefined, { channel: 'chatws', payload: { title: 'x' } })
  await fits('get', '/api/admin/channels')
  for (const action of ['pause', 'resume', 'test'])
    await fits('post', `/api/admin/channels/:name/${action}`, `/api/admin/channels/chatws/${action}`)
  for (const path of ['stats', 'config', 'templates', 'topic']) await fits('get', `/api/admin/${path}`)
  await fits('post', '/api/admin/tail/ticket')

  await fits('post', '/api/agent/logs/:source', '/api/agent/logs/push', 'error: connection 17 to db lost')
  const patterns = async () => ((await fits('get', '/api/agent/patterns')) as { patterns: { id: string }[] }).patterns
  const seen = await until(patterns, ({ length }) => length > 0)
  const pattern = `/api/agent/patterns/${seen[0]?.id}`
  await fits('get', '/api/agent/patterns/:id', pattern)
  await fits('post', '/api/agent/patterns/:id', pattern, { verdict: 'known' })
  await fits('delete', '/api/agent/patterns/:id', pattern)
  const lists = ['status', 'services', 'shadow', 'shadow/stats', 'detect', 'detect/stats', 'ai/system-prompt']
  for (const path of lists) await fits('get', `/api/agent/${path}`)
  for (const path of ['detect/flush', 'flush']) await fits('post', `/api/agent/${path}`)
  for (const path of ['patterns', 'shadow', 'detect']) await fits('delete', `/api/agent/${path}`)
})

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema({ $id: 'api', ...(closed(JSON.parse(JSON.stringify(document))) as object) })

/** Returns how an answer differs from its description, undefined if it does not. */
function mismatchOf(operation: string, status: number, answer: unknown): string | undefined {
  const [method = '', path = ''] = operation.split(' ')
  const schema = document.paths[path]?.[method]?.responses[status]?.content?.['application/json']?.schema
  if (!schema) return `no JSON with ${status} is described for ${operation}`
  const own = closed(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')))
  const validate = ajv.compile(own as object)
  return validate(answer) ? undefined : JSON.stringify(validate.errors)
}

/** Forbids further fields in every object whose fields are described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return 'properties' in inner && !('additionalProperties' in inner) ? { ...inner, additionalProperties: false } : inner
}
