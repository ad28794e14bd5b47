import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { admin, post, SECRET } from '../../harness/net/requests.ts'
import { ask, headOf, type WireRequest, type WireResponse } from '../../harness/net/wire.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, bugsIn, startVictim } from '../victim.ts'
import { body, encoded, tree, word } from './hostile.ts'

interface Described {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: Schema } } }
  readonly responses: { readonly [status: string]: unknown }
}
interface Schema {
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
}
interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Described } }
}
interface Operation extends Described {
  readonly method: string
  readonly path: string
}

test('any request to any route is answered with a documented status', async (t) => {
  const victim = await startVictim(t)
  const { url } = victim
  const id = (await post(url, { title: 'an incident' })).headers.get('x-incident-id') ?? ''
  await post(url, { title: 'another', severity: 'critical' })
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as Document
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  )
  assert.ok(operations.length > 30)
  const requests = fc.array(requestOf(operations, [id, 'chatws', 'push', 'console']), { minLength: 1, maxLength: 12 })
  await warmed(url)
  const before = victim.rss()
  await holdsFor(t, { share: 0.3, arbitrary: requests }, async (batch) => {
    await Promise.all(
      batch.map(async (each) => assertDocumented(each, await ask(url, each.asked), () => victim.output())),
    )
  })
  await victim.assertSound()
  assertBounded(before, victim.rss())
})

/** Statuses that any route may answer: invalid path, body or headers too large, wrong method or type. */
const ALWAYS = [400, 404, 405, 413, 415, 431]
/** Bytes of request line and headers. */
const MAX_HEAD = 4_096

interface RouteCase {
  readonly operation: Operation
  readonly asked: WireRequest
}

function assertDocumented(
  { operation, asked }: RouteCase,
  { status, head, body }: WireResponse,
  output: () => string,
): void {
  const documented = [...Object.keys(operation.responses).map(Number), ...ALWAYS]
  // The connection of a head that is too long is closed, and a body behind it lets that overtake the answer.
  if (headOf(asked).length > MAX_HEAD) documented.push(0)
  const { method, target, headers } = asked
  const shown = [target, JSON.stringify(headers), JSON.stringify(Buffer.from(asked.body).toString())]
  const sent = `${method} ${operation.path}: ${shown.map((text) => text.slice(0, 500)).join(' ')}`
  assert.ok(documented.includes(status), `${sent}: ${status} ${body.slice(0, 500)} ${bugsIn(output())}`)
  assert.doesNotMatch(head, /\r\nX-Injected/i)
  assert.ok(!body.includes(SECRET))
  if (/content-type: application\/json/i.test(head)) assert.doesNotThrow(() => JSON.parse(body), sent)
}

/** Generates a request to one of the operations, with hostile values in some or all places. */
function requestOf(operations: readonly Operation[], ids: readonly string[]) {
  const names = fc.oneof(fc.constantFrom(...ids).map(encoded), word.map(encoded), word.map(rawSegment))
  return fc.constantFrom(...operations).chain((operation) => {
    const places = [...operation.path.matchAll(/\{\w+\}/g)]
    return fc
      .record({
        names: fc.array(names, { minLength: places.length, maxLength: places.length }),
        query: queryOf(operation),
        headers: headersOf(operation),
        body: bodyOf(operation),
      })
      .map(({ names, query, headers, body }) => {
        let at = 0
        const path = operation.path.replace(/\{\w+\}/g, () => names[at++] ?? '')
        const method = operation.method.toUpperCase()
        const empty = Buffer.alloc(0)
        const target = `${path === '' ? '/' : path}${query}`
        return { operation, asked: { method, target, headers, body: method === 'POST' ? body : empty } }
      })
  })
}

/** A path segment of a client that barely encodes: only characters that would end the request line are encoded. */
const rawSegment = (text: string) => encoded(text).slice(0, 300).replaceAll('%2E', '.') || '-'

function queryOf({ parameters }: Operation) {
  const known = parameters.filter((parameter) => parameter.in === 'query')
  const pairs = known.map(({ name, schema }) =>
    fc.option(fc.oneof(plausible(schema).map(textOf), word)).map((value) => (value === null ? [] : [[name, value]])),
  )
  const stray = fc.option(fc.tuple(word, word), { freq: 4 }).map((pair) => (pair ? [pair] : []))
  return fc.tuple(...pairs, stray).map((given) => {
    const text = given.flat().map(([name = '', value = '']) => `${encoded(name)}=${encoded(value)}`)
    return text.length === 0 ? '' : `?${text.join('&').slice(0, 2_500)}`
  })
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const TYPES = ['application/json', 'application/x-ndjson', 'text/plain', 'application/x-www-form-urlencoded', 'a/b', '']

/** Control characters make a head invalid: the connection would only run into its timeout. */
const CONTROLS = /[\x00-\x1f\x7f]/g

function headersOf({ parameters }: Operation) {
  const own = parameters.filter((parameter) => parameter.in === 'header')
  const value = word.map((text) => Buffer.from(text.slice(0, 400)).toString('latin1').replace(CONTROLS, ' '))
  return fc
    .record({
      type: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('application/json', ...TYPES) },
        { weight: 1, arbitrary: value },
      ),
      more: fc.tuple(...own.map(({ name }) => fc.option(value).map((text) => [name, text] as const))),
      odd: fc.option(
        fc.tuple(fc.constantFrom('Accept-Encoding', 'If-None-Match', 'Expect', 'Origin', 'Cookie'), value),
      ),
    })
    .map(({ type, more, odd }): WireRequest['headers'] => [
      ['X-Gateway-Secret', SECRET],
      ['Content-Type', type],
      ...more.flatMap(([name, text]): [string, string][] => (text === null ? [] : [[name, text]])),
      ...(odd === null ? [] : [odd]),
    ])
}

function bodyOf({ requestBody }: Operation) {
  const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
  const fitting = schemas.map((schema) => plausible(schema).map((value) => Buffer.from(JSON.stringify(value))))
  return fc.oneof(body, ...fitting)
}

/** Generates values that fit the schema, and now and then one that does not. */
function plausible({ enum: values, const: only, properties, items }: Schema): fc.Arbitrary<unknown> {
  if (values) return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: tree })
  if (only !== undefined) return fc.constant(only)
  if (items) return fc.array(plausible(items), { maxLength: 3 })
  if (!properties) return fc.oneof(tree, fc.constantFrom<unknown>('chatws', 1, 10, true, 'x'))
  const fields = Object.entries(properties).map(([name, schema]) => [name, plausible(schema)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
}

/** Makes the service load all that it loads on first use, so that it does not count as growth. */
async function warmed(url: string): Promise<void> {
  for (const path of ['/', '/metrics']) await (await fetch(url + path)).arrayBuffer()
  for (const path of ['/api/admin/templates', '/api/agent/status']) await admin(url, path)
  const packed = gzipSync(JSON.stringify({ title: 'packed' }))
  await fetch(`${url}/api/incidents`, { method: 'POST', headers: { 'Content-Encoding': 'gzip' }, body: packed })
}
