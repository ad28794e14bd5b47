import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { loadProvider } from '../../src/oncall/index.ts'
import type { ProviderSettings } from '../../src/oncall/options.ts'
import type { Received, Reply } from '../../src/simulator/exchange.ts'
import { startStandIn } from '../harness/providers.ts'
import { forever, NOW, pageOf, post, SECRETS, settingsAt } from './setup.ts'

type Row = { readonly [column: string]: string }
const rowOf = (request: Received | undefined) => (request?.json ?? {}) as Row

/** An instance with a memory: the records of its table by their id. */
async function instance(t: TestContext, over: Partial<ProviderSettings['servicenow']> = {}) {
  const standIn = await startStandIn(t, 'servicenow')
  const rows = new Map<string, Row>()
  const keyOf = ({ url }: Received) =>
    /^correlation_id=([^^]*)\^active=true$/.exec(new URL(url, 'http://x').searchParams.get('sysparm_query') ?? '')?.[1]
  const answerTo = (request: Received): Reply => {
    const id = request.path.split('/').at(-1) ?? ''
    if (request.method === 'GET') {
      const found = [...rows].find(([, row]) => row.correlation_id === keyOf(request) && row.state !== '6')
      return { body: { result: found === undefined ? [] : [{ sys_id: found[0] }] } }
    }
    const sys_id = request.method === 'PATCH' ? id : String(rows.size + 1).padStart(32, '0')
    rows.set(sys_id, { ...rows.get(sys_id), ...rowOf(request) })
    return { status: request.method === 'PATCH' ? 200 : 201, body: { result: { sys_id } } }
  }
  standIn.script = answerTo
  const settings = settingsAt('servicenow', standIn.url)
  const open = await loadProvider({ ...settings, servicenow: { ...settings.servicenow, ...over } })
  const links = { ack: () => 'https://tocsin.example.test/ack', incident: () => undefined }
  return { provider: open({ post, links, now: () => NOW }), standIn, rows, answerTo }
}

test('a page makes one record of a problem, which its acknowledgement and its end change', async (t) => {
  const { provider, standIn, rows } = await instance(t)
  const outcome = await provider.send(pageOf(), forever)
  assert.deepEqual(outcome, { kind: 'sent', messageId: '1'.padStart(32, '0') })
  const again = await provider.send(pageOf({ id: 'another' }), forever)
  assert.equal(again.kind === 'sent' && again.note, 'it has an open record')
  const [record] = rows.values()
  assert.deepEqual(
    [record?.short_description, record?.correlation_id, record?.urgency, record?.impact],
    ['Checkout is slow', 'grouped:checkout', '1', '1'],
  )
  assert.match(record?.description ?? '', /tocsin.example.test\/ack[\s\S]*"shard":7/)
  await provider.send(pageOf({ signal: 'acknowledge', by: 'Ada' }), forever)
  assert.deepEqual([rows.size, [...rows.values()][0]?.work_notes], [1, 'Acknowledged by Ada'])
  await provider.send(pageOf({ signal: 'resolve' }), forever)
  const { state, close_code, close_notes } = [...rows.values()][0] ?? {}
  assert.deepEqual([state, close_code, close_notes], ['6', 'Solution provided', 'Resolved'])
  const none = await provider.send(pageOf({ signal: 'resolve' }), forever)
  assert.equal(none.kind === 'sent' && none.note, 'it has no open record')
  const login = `Basic ${Buffer.from(`tocsin:${SECRETS.servicenow}`).toString('base64')}`
  assert.ok(
    standIn.requests.every(
      ({ headers, path }) => headers.authorization === login && path.startsWith('/api/now/table/incident'),
    ),
  )
})

test('a fingerprint cannot change the search, and a long one fits the column', async (t) => {
  const { provider, standIn, rows } = await instance(t)
  for (const fingerprint of ['a^ORactive=true', 'x'.repeat(200)]) {
    for (let n = 0; n < 2; n++) await provider.send(pageOf({ fingerprint }), forever)
  }
  assert.equal(rows.size, 2)
  assert.ok([...rows.values()].every((row) => /^[0-9a-f]{40}$/.test(row.correlation_id ?? '')))
  assert.ok(standIn.requests.every(({ url }) => !url.includes('ORactive')))
})

test('a search that fails holds up no page; a resolution waits for it', async (t) => {
  const { provider, standIn, answerTo } = await instance(t)
  for (const reply of [{ status: 503, body: '' }, { body: '<html>log in</html>' }]) {
    standIn.script = (request) => (request.method === 'GET' ? reply : answerTo(request))
    assert.equal((await provider.send(pageOf(), forever)).kind, 'sent')
    const waiting = await provider.send(pageOf({ signal: 'resolve' }), forever)
    assert.ok(waiting.kind === 'retry' && waiting.mayDuplicate !== true, JSON.stringify(waiting))
  }
})

test('an answer without the record is a retry that may duplicate', async (t) => {
  const { provider, standIn, answerTo } = await instance(t)
  for (const body of ['<html>log in</html>', { result: {} }, { result: { sys_id: '../../x' } }]) {
    standIn.script = (request) => (request.method === 'POST' ? { status: 201, body } : answerTo(request))
    const outcome = await provider.send(pageOf(), forever)
    assert.ok(outcome.kind === 'retry' && outcome.mayDuplicate, JSON.stringify(outcome))
  }
})

test('the table of events gets an event of its severity, and one that clears it', async (t) => {
  const { provider, standIn } = await instance(t, { table: 'em_event', token: 'oauth-of-the-tests' })
  const signals = ['trigger', 'acknowledge', 'resolve'] as const
  for (const signal of signals) assert.equal((await provider.send(pageOf({ signal }), forever)).kind, 'sent')
  const events = standIn.requests.map((request) => rowOf(request))
  assert.deepEqual(
    events.map(({ message_key, severity, node }) => [message_key, severity, node]),
    [
      ['grouped:checkout', '1', 'checkout'],
      ['grouped:checkout', '0', 'checkout'],
    ],
  )
  assert.equal(JSON.parse(events[0]?.additional_info ?? '').content.shard, 7)
  assert.ok(standIn.requests.every(({ headers }) => headers.authorization === 'Bearer oauth-of-the-tests'))
})

test('another instance is chosen by name, and an unknown name is final', async (t) => {
  const { provider, standIn } = await instance(t)
  assert.equal((await provider.send(pageOf({ target: 'dba' }), forever)).kind, 'sent')
  const asked = standIn.requests.length
  assert.equal((await provider.send(pageOf({ target: 'nobody' }), forever)).kind, 'failed')
  assert.ok(asked === standIn.requests.length && standIn.requests.every(({ path }) => path.startsWith('/other/api/')))
})
