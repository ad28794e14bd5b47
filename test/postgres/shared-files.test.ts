import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { existingSecret, openDocument, openSecret, SHARED_FILES } from '../../src/postgres/shared-files.ts'
import { openSyncPostgres } from '../../src/postgres/sync.ts'
import { installSchema } from '../../src/store/postgres/schema.ts'
import { postgresServer } from '../harness/postgres.ts'
import { settingsOf } from './settings.ts'

const server = await postgresServer()
const skip = 'missing' in server ? server.missing : false

async function connections(t: TestContext) {
  assert.ok(!('missing' in server))
  const settings = settingsOf(await server.database())
  const open = () => {
    const connection = openSyncPostgres(settings, { applicationName: 'test' })
    t.after(() => connection.close())
    return connection
  }
  const one = open()
  installSchema(one, settings.schema, [SHARED_FILES])
  return { one, other: open() }
}

const setAside = () => assert.fail('no document is broken')

test('a document is there for the next leader, and the one before cannot change it any more', { skip }, async (t) => {
  const { one, other } = await connections(t)
  const before = openDocument(one, { name: 'patterns.json', term: 3, setAside })
  assert.equal(before.load(), undefined)
  const odd = { text: 'a\u0000b \ud800 \u{1f600}', list: [1, null] }
  before.save(odd)
  const next = openDocument(other, { name: 'patterns.json', term: 4, setAside })
  assert.deepEqual(next.load(), odd)
  assert.throws(() => before.save({ late: true }), { code: 'storage_down', message: /another replica leads/ })
  assert.throws(() => before.load(), { code: 'storage_down' })
  next.save({ newer: true })
  assert.deepEqual(openDocument(other, { name: 'patterns.json', term: 4, setAside }).load(), { newer: true })
})

test('a document that is no JSON object is set aside', { skip }, async (t) => {
  const { one } = await connections(t)
  one.query('INSERT INTO documents (name, term, body) VALUES ($1, $2, $3)', ['shadow.json', 1, '[1'])
  const aside: string[] = []
  const document = openDocument(one, { name: 'shadow.json', term: 1, setAside: (...names) => aside.push(...names) })
  assert.equal(document.load(), undefined)
  assert.match(aside.join(' '), /^shadow\.json shadow\.json\.broken-\d{4}-/)
  document.save({ begun: 'anew' })
  assert.deepEqual(document.load(), { begun: 'anew' })
})

test('replicas that make a secret get the same one', { skip }, async (t) => {
  const { one, other } = await connections(t)
  assert.equal(existingSecret(one, 'ack'), undefined)
  const secret = openSecret(one, 'ack')
  assert.equal(secret.length, 32)
  assert.deepEqual(openSecret(other, 'ack'), secret)
  assert.deepEqual(existingSecret(other, 'ack'), secret)
  assert.notDeepEqual(openSecret(other, 'another'), secret)
})
