import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { endpointsOf } from '../../src/postgres/settings.ts'
import { freePort } from '../harness/net/port.ts'
import { opened, ownServer } from './settings.ts'

const run = promisify(execFile)

test('a URL names hosts, a login, a database and TLS', () => {
  const parts = { user: 'us er', password: 'p@:/w', database: 'incidents' }
  const url = 'postgresql://us%20er:p%40%3A%2Fw@one,[::1]:5433,three.example:6000/incidents'
  assert.deepEqual(endpointsOf(url), [
    { host: 'one', port: 5432, ...parts, tls: undefined },
    { host: '::1', port: 5433, ...parts, tls: undefined },
    { host: 'three.example', port: 6000, ...parts, tls: undefined },
  ])
  assert.equal(endpointsOf('postgres://me@host')[0]?.database, 'me')
  assert.deepEqual(endpointsOf('postgres://me@host/db?sslmode=require')[0]?.tls, { isTrusted: false, isNamed: false })
})

test('a URL that cannot be used is refused without its password', () => {
  for (const [url, why] of [
    ['mysql://u:secret@host/db', /must look like postgres:/],
    ['postgres://u:secret@/db', /names no host/],
    ['postgres://u:secret@host:99999/db', /cannot be read/],
    ['postgres://u:secret%zz@host/db', /special characters of the password as %XX/],
    ['postgres://u:secret@one,,two/db', /without a name|cannot be read/],
    ['postgres://u:secret@host/db?sslmode=prefer', /sslmode=prefer: use disable/],
    [
      'postgres://u:secret@host/db?sslmode=verify-full&sslrootcert=/missing.pem',
      /sslrootcert=\/missing.pem.*cannot be read/,
    ],
  ] as const)
    assert.throws(
      () => endpointsOf(url),
      (error: Error & { code?: string }) =>
        error.code === 'config_invalid' && why.test(error.message) && !error.message.includes('secret'),
      url,
    )
})

test('certificates are checked as sslmode says, and passwords by SCRAM', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-tls-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = (name: string) => join(folder, name)
  const make = async (name: string, subject: string) => {
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    const names = ['-subj', '/CN=test', '-addext', `subjectAltName=${subject}`]
    await run('openssl', [...args, ...names, '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)])
  }
  await make('good', 'DNS:localhost')
  await make('other', 'DNS:elsewhere')
  const server = await ownServer(t)
  if (!server) return
  const url = new URL(await server.database())
  await server.secure(file('good.pem'), file('good.key'))
  const through = (host: string, query: string, password = 'tocsin') =>
    opened(t, `postgres://tocsin:${password}@${host}:${url.port}${url.pathname}${query}`)
  const isEncrypted = (host: string, query: string) =>
    through(host, query).query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()').rows[0]?.[0] === 1
  assert.ok(isEncrypted('localhost', '?sslmode=require'))
  assert.ok(isEncrypted('localhost', `?sslmode=verify-full&sslrootcert=${file('good.pem')}`))
  assert.ok(isEncrypted('127.0.0.1', `?sslmode=verify-ca&sslrootcert=${file('good.pem')}`))
  for (const [host, query] of [
    ['127.0.0.1', `?sslmode=verify-full&sslrootcert=${file('good.pem')}`],
    ['localhost', `?sslmode=verify-full&sslrootcert=${file('other.pem')}`],
    ['localhost', `?sslmode=verify-ca&sslrootcert=${file('other.pem')}`],
    ['localhost', '?sslmode=verify-full'],
    ['localhost', ''],
  ] as const)
    assert.throws(() => isEncrypted(host, query), { code: 'storage_down' }, `${host} ${query}`)
  assert.throws(() => through('localhost', '?sslmode=require', 'wrong').query('SELECT 1'), {
    code: 'storage_down',
    message: /password authentication failed .*\(check user and password/,
  })
})

test('hosts that do not answer are passed over', async (t) => {
  const server = await ownServer(t)
  if (!server) return
  const url = await server.database()
  const { host } = new URL(url)
  const db = opened(t, url.replace(host, `127.0.0.1:${await freePort()},${host}`))
  assert.deepEqual(db.query('SELECT 1').rows, [[1]])
  await server.stop()
  assert.throws(() => db.query('SELECT 1'), { code: 'storage_down' })
  assert.throws(() => db.query('SELECT 1'), {
    code: 'storage_down',
    message: /ECONNREFUSED.*; .*ECONNREFUSED.*\(check host and port/,
  })
  const unknown = opened(t, url.replace(host, 'no-such-host.invalid'))
  assert.throws(() => unknown.query('SELECT 1'), { code: 'storage_down', message: /\(check the host in storage/ })
})
