import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, keysFor, messageOf, post, SECRETS } from './setup.ts'

let provider: Provider
before(async () => {
  provider = await startProvider('ntfy')
})
after(() => Promise.all([provider.close(), post.close()]))

const publicHost = 'https://tocsin.example.net'
const open = (keys: object = {}) => channelOf('ntfy', { ...keysFor('ntfy', provider), ...keys }, { publicHost })

test('pushes a message with its title, how loud it is, and the page of its incident', async () => {
  const subject = '🔴 CRITICAL Checkout is slow'
  await open().send(messageOf({ text: 'shard 7', subject }), forever)
  const { method, path, headers, json } = provider.requests.at(-1) ?? {}
  assert.deepEqual([method, path, headers?.authorization], ['POST', '/', `Bearer ${SECRETS.ntfy}`])
  assert.deepEqual(json, {
    topic: 'main-place',
    title: subject,
    message: 'shard 7',
    priority: 5,
    click: `${publicHost}/#/incidents/01936a1f-0000-7000-8000-000000000001`,
  })
})

test('a public topic needs no token', async () => {
  await open({ token: '' }).send(messageOf(), forever)
  assert.equal(provider.requests.at(-1)?.headers.authorization, undefined)
})

const sent = async (...over: Parameters<typeof messageOf>) => {
  await open().send(messageOf(...over), forever)
  return provider.requests.at(-1)?.json as { [name: string]: unknown }
}

test('the priority follows the severity; what is resolved makes no sound', async () => {
  const priorities = []
  for (const severity of ['critical', 'high', 'warning', 'info', 'debug', 'odd'])
    priorities.push((await sent({ severity })).priority)
  assert.deepEqual(priorities, [5, 4, 3, 2, 1, 3])
  assert.equal((await sent({ status: 'resolved' })).priority, 2)
})

test('an empty text does not become the word of the server; a digest opens the dashboard', async () => {
  const { message, title } = await sent({ text: '\n' })
  assert.deepEqual([message, title], ['Checkout is slow', 'Checkout is slow'])
  assert.equal((await sent({ incidentId: 'digest-4' })).click, `${publicHost}/`)
})

test('waits an hour when the quota of the day is used up, a minute when it is asked too often', async () => {
  const waits = []
  for (const code of [42908, 42901]) {
    provider.next({ status: 429, body: { code, http: 429, error: 'limit reached' } })
    const outcome = await open().send(messageOf(), forever)
    waits.push(outcome.kind === 'retry' && outcome.afterMs)
  }
  assert.deepEqual(waits, [3_600_000, 60_000])
})
