import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { SourceDeps } from '../../src/mining/sources/contract.ts'
import { createElasticsearchSource } from '../../src/mining/sources/elasticsearch.ts'
import { createLokiSource } from '../../src/mining/sources/loki.ts'
import { createQuery } from '../../src/mining/sources/query.ts'

const PASSWORD = 'planted/pass"word'
const KEY = 'planted-key-of-the-source'
const IN_ADDRESS = 'planted-in-the-address'
const PAIR = Buffer.from(`bell:${PASSWORD}`).toString('base64')

interface Logins {
  readonly [what: string]: { readonly username: string; readonly password: string; readonly key: string }
}
const LOGINS: Logins = {
  'a password': { username: 'bell', password: PASSWORD, key: '' },
  'a key': { username: '', password: '', key: KEY },
  'a key beside a password': { username: 'bell', password: PASSWORD, key: KEY },
}
const OF_PASSWORD = [PASSWORD, encodeURIComponent(PASSWORD), JSON.stringify(PASSWORD).slice(1, -1), PAIR]

const spellingsOf = ({ password, key }: Logins[string]) => [
  IN_ADDRESS,
  ...(password === '' ? [] : OF_PASSWORD),
  ...(key === '' ? [] : [KEY, `Bearer ${KEY}`]),
]

for (const [what, login] of Object.entries(LOGINS))
  test(`a log source that repeats ${what} is quoted without it`, async (t) => {
    for (const { source, since } of await sources(t, login)) {
      const fault = await source.pull({ since, seen: [] }, new AbortController().signal).then(
        () => assert.fail('it was taken'),
        (error: Error) => error.message,
      )
      assert.match(fault, /answered HTTP 401: you sent/)
      for (const secret of spellingsOf(login)) assert.ok(!fault.includes(secret), fault)
    }
  })

async function sources(t: TestContext, given: Logins[string]) {
  const { key, ...login } = given
  const server = createServer((_, res) => {
    res.writeHead(401).end(`you sent ${spellingsOf(given).join(', ')}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { query, close } = createQuery()
  t.after(async () => {
    await close()
    server.close()
  })
  const tools: SourceDeps = { now: () => Date.now(), query }
  const address = `http://elastic:${IN_ADDRESS}@127.0.0.1:${(server.address() as AddressInfo).port}`
  const fields = {
    index: 'logs',
    timeField: 'at',
    query: '*',
    messageField: 'message',
    extraFields: [],
    reorderWindowMs: 0,
  }
  const loki = createLokiSource({ address, query: '{}', tenantId: '', token: key, ...login }, tools)
  const elastic = createElasticsearchSource({ addresses: [address], ...fields, apiKey: key, ...login }, tools)
  return [
    { source: loki, since: '1' },
    { source: elastic, since: 1 },
  ]
}
