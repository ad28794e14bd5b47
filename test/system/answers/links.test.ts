import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'

const PUBLIC = 'https://tocsin.example.test'

async function started(t: TestContext, answers: object = { links: true }, more: object = {}) {
  const chat = await startStandIn(t, 'chatws')
  const chatws = { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST }
  const config = (given: object) =>
    configFile(folder(), { public_host: PUBLIC, alert: { chatws }, answers: given, ...more })
  const system = await startTestSystem(t, config(answers))
  async function told(name: string, payload: object = {}) {
    const answer = await post(system.url, { ServiceName: name, Logs: name, ...payload })
    const { body } = await chat.waitFor((request) => request.body.includes(name))
    const link = /https:\/\/tocsin\.example\.test(\/api\/(?:answer|ack)\/[^"\\|]+)/.exec(body)?.[1] ?? ''
    return { id: answer.headers.get('x-incident-id') ?? '', link, body }
  }
  const open = async (link: string, init: RequestInit = {}) => {
    const answer = await fetch(system.url + link, init)
    return { status: answer.status, page: await answer.text() }
  }
  const press = (link: string, token: string, name = 'Ada') =>
    open(link, { method: 'POST', body: new URLSearchParams({ token, name }) })
  const incident = (id: string) =>
    admin<{ status: string; acked_by: string | null; answers: { action: string; actor: string; via: string }[] }>(
      system.url,
      `/api/admin/incidents/${id}`,
    )
  return { system, chat, told, open, press, incident, config }
}

/** Returns the tokens of a page's buttons by their label. */
const buttonsIn = (page: string) =>
  new Map(
    Array.from(page.matchAll(/<button name="token" value="([^"]+)">([^<]+)</g), ([, token = '', label = '']) => [
      label,
      token,
    ]),
  )

test('the page of a link shows the buttons, and only its form acts, once for each button', async (t) => {
  const { told, open, press, incident } = await started(t)
  const { id, link } = await told('ledger')
  assert.match(link, new RegExp(`^/api/answer/${id}\\?exp=\\d+&problem=\\d+&sig=[0-9a-f]{64}$`))
  const { status, page } = await open(link)
  const buttons = buttonsIn(page)
  assert.equal(status, 200)
  assert.deepEqual([...buttons.keys()], ['Acknowledge', 'Resolve', 'Silence 1 h', 'Silence until resolved'])
  for (const method of ['GET', 'HEAD'])
    assert.equal((await open(`${link}&token=${buttons.get('Acknowledge')}`, { method })).status, 200)
  assert.equal((await incident(id)).acked_by, null)

  const done = await press(link, buttons.get('Acknowledge') ?? '', 'Ada [chatws]\n<b>')
  assert.equal(done.status, 200)
  assert.match(done.page, /<h1>Acknowledged\.<\/h1>/)
  assert.ok(!buttonsIn(done.page).has('Acknowledge'))
  assert.equal((await incident(id)).acked_by, 'Ada  chatws   b (link)')

  const again = await press(link, buttons.get('Acknowledge') ?? '', 'Ben')
  assert.deepEqual([again.status, /done before/.test(again.page)], [409, true])
  assert.equal((await press(link, buttons.get('Resolve') ?? '')).status, 200)
  const { status: state, answers } = await incident(id)
  assert.equal(state, 'resolved')
  assert.deepEqual(
    answers.map(({ action, actor, via }) => [action, actor, via]),
    [
      ['resolve', 'Ada (link)', 'link'],
      ['acknowledge', 'Ada  chatws   b (link)', 'link'],
    ],
  )
  assert.equal(buttonsIn((await open(link)).page).size, 0)
})

test('a link that was changed, or a button of another incident, acts on nothing', async (t) => {
  const { told, open, press, incident } = await started(t)
  const [own, other] = [await told('ledger'), await told('basket')]
  const token = buttonsIn((await open(own.link)).page).get('Resolve') ?? ''
  const foreign = buttonsIn((await open(other.link)).page).get('Resolve') ?? ''
  const [path, query] = own.link.split('?')
  const changed = [
    ...[path ?? '', own.link.replace(/exp=\d+/, 'exp=9999999999'), `${own.link}&exp=1`],
    ...[`${path}?${other.link.split('?')[1]}`, `${other.link.split('?')[0]}?${query}`],
  ]
  for (const link of changed)
    for (const answer of [await open(link), await press(link, token)]) assert.equal(answer.status, 403, link)
  for (const odd of [foreign, '', 'x', `${token}x`]) assert.equal((await press(own.link, odd)).status, 403, odd)
  const typed = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) }
  assert.equal((await open(own.link, typed)).status, 415)
  for (const { id } of [own, other]) assert.equal((await incident(id)).status, 'firing')
})

test('a link that acknowledges opens no buttons, nor the reverse', async (t) => {
  const oncall = { enable: true, wait_minutes: 60, provider: 'webhook', webhook: { url: 'http://127.0.0.1:9' } }
  const { system, told, open, press, config } = await started(t, {}, { oncall })
  const before = await told('ledger')
  assert.match(before.link, /^\/api\/ack\//)
  await system.reloadFrom(config({ links: true }))
  const { link } = await told('basket')
  assert.match(link, /^\/api\/answer\//)
  assert.equal((await open(before.link.replace('/ack/', '/answer/'))).status, 403)
  assert.equal((await open(link.replace('/answer/', '/ack/'))).status, 403)
  assert.equal((await open(before.link)).status, 200)
  await system.reloadFrom(config({ links: true, allow: 'everybody', buttons: ['resolve'] }))
  assert.deepEqual([...buttonsIn((await open(link)).page).keys()], ['Resolve'])
  await system.reloadFrom(config({}))
  for (const answer of [await open(link), await press(link, 'x')]) assert.equal(answer.status, 404)
})

test('where only people may answer, a link answers nothing, because it proves nobody', async (t) => {
  const people = { ada: { ids: { chatws: 'U0ADALOVE' } } }
  const { system, told, open, config } = await started(t, { links: true }, { people })
  const { link } = await told('ledger')
  await system.reloadFrom(config({ links: true, allow: 'people' }))
  assert.equal((await open(link)).status, 404)
  assert.equal((await told('basket')).link, '')
})

test('resolved messages have no link', async (t) => {
  const { told } = await started(t)
  await told('ledger', { title: 'disk full' })
  assert.equal((await told('over', { title: 'disk full', status: 'resolved' })).link, '')
})
