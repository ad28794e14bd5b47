import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Received } from '../../../src/simulator/exchange.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const PUBLIC = 'https://tocsin.example.test'

/** Returns the body of each button of a push, by its label. */
const tokensOf = ({ json }: Received) =>
  new Map(
    (json as { actions: { label: string; url: string; body: string }[] }).actions.map(({ label, url, body }) => {
      assert.equal(url, `${PUBLIC}/api/answer`)
      return [label, body]
    }),
  )

async function started(t: TestContext, answers: object = {}) {
  const phone = await startStandIn(t, 'ntfy')
  const ntfy = { enable: true, topic: 'all', other_topics: { ada: 'of-ada' }, server_url: phone.url }
  const config = (over: object = {}) =>
    configFile(folder(), {
      public_host: PUBLIC,
      people: { ada: { name: 'Ada Lovelace', ids: { ntfy: 'ada' } } },
      answers,
      alert: { ntfy: { ...ntfy, answers: { mode: 'http' }, ...FAST, ...over } },
    })
  const system = await startTestSystem(t, config())
  async function told(name: string, query = '') {
    const answer = await post(system.url, { ServiceName: name, Logs: name }, {}, query)
    const tokens = tokensOf(await phone.waitFor(({ body }) => body.includes(name)))
    return { id: answer.headers.get('x-incident-id') ?? '', token: tokens.get('Acknowledge') ?? '', tokens }
  }
  const press = (body: string, method = 'POST') =>
    fetch(`${system.url}/api/answer`, { method, ...(method === 'POST' && { body }) })
  const incident = (id: string) =>
    admin<{ acked_by: string | null; answers: { actor: string; via: string; result: string }[] }>(
      system.url,
      `/api/admin/incidents/${id}`,
    )
  return { phone, system, told, press, incident, config }
}

test('a button of a push acknowledges as the person whose topic it is, once; a look at the address does nothing', async (t) => {
  const { told, press, incident } = await started(t)
  const { id, token, tokens } = await told('ledger', '?ntfy_other_topic=ada')
  assert.deepEqual([...tokens.keys()], ['Acknowledge', 'Resolve', 'Silence 1 h'])
  for (const method of ['GET', 'HEAD']) assert.notEqual((await press(token, method)).status, 200)
  assert.equal((await incident(id)).acked_by, null)

  for (const _ of ['the press', 'its repetition']) {
    const answer = await press(token)
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
      [200, 'text/plain; charset=utf-8', 'no-store'],
    )
    assert.equal(await answer.text(), 'Acknowledged.')
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
  }
  const { acked_by, answers } = await incident(id)
  assert.equal(acked_by, 'Ada Lovelace')
  assert.deepEqual(
    answers.map(({ actor, via, result }) => [actor, via, result]),
    [['Ada Lovelace', 'ntfy', 'done']],
  )
})

test('after a press the notification is replaced without a sound, by one that says who did what', async (t) => {
  const { phone, told, press } = await started(t)
  const { token } = await told('ledger', '?ntfy_other_topic=ada')
  await press(token)
  const edit = await phone.waitFor(({ body }) => body.includes('Acknowledged by Ada Lovelace'))
  const { priority, topic } = edit.json as { priority: number; topic: string }
  assert.deepEqual([priority, topic], [2, 'of-ada'])
  await until(() => phone.edits === 1)
  const left = tokensOf(edit)
  assert.deepEqual([...left.keys()], ['Resolve', 'Silence 1 h', 'Silence until resolved'])
  assert.equal((await press(left.get('Resolve') ?? '')).status, 200)
  const over = await phone.waitFor(({ body }) => body.includes('Resolved by Ada Lovelace'))
  assert.doesNotMatch(over.body, /"actions"/)
  await until(() => phone.edits === 2)
  assert.equal(phone.posts, 1)
})

test('a topic that nobody has cannot press for people, and a topic that is not configured any more cannot press', async (t) => {
  const { system, told, press, incident, config } = await started(t, { allow: 'people' })
  const all = await told('ledger')
  const ada = await told('basket', '?ntfy_other_topic=ada')
  const refused = await press(all.token)
  assert.deepEqual([refused.status, (await incident(all.id)).acked_by], [403, null])
  await system.reloadFrom(config({ other_topics: { ada: 'of-ada', ben: 'of-ben' } }))
  assert.equal((await press(ada.token)).status, 200)
  await system.reloadFrom(config({ answers: { mode: 'off' } }))
  assert.equal((await press(ada.token)).status, 404)
})

test('a press that is none is refused, and a large one is not read', async (t) => {
  const { told, press } = await started(t)
  const { token } = await told('ledger')
  assert.equal((await press(token.replace('1a.', '1r.'))).status, 403)
  assert.equal((await press('x'.repeat(2_000))).status, 413)
})
