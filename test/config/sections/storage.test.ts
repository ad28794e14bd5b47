import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { redacted, secretValues } from '../../../src/config/secrets.ts'
import { issueOf, issuesOf, load } from '../setup.ts'

const postgres = (keys: string, others = '') =>
  `storage: { type: postgres, postgres: { ${keys} } }\nreplica: { address: "http://10.0.0.7:3000/" }\n${others}`
const URL = 'url: "postgres://u:p%40hush@db1:5433,db2/tocsin?sslmode=require"'

describe('storage.type', () => {
  it('is a directory by default', () => {
    assert.deepEqual(load('').config.storage, {
      type: 'file',
      dataDir: './data',
      maxIncidents: 1_000,
      maxBacklog: 100_000,
    })
  })
  it('postgres has its own limits and the connection', () => {
    const { config, warnings } = load(postgres(`${URL}, max_incidents: 7, lease: 3s`))
    assert.deepEqual(warnings, [])
    assert.deepEqual(config.storage, {
      type: 'postgres',
      dataDir: './data',
      maxIncidents: 7,
      maxBacklog: 100_000,
      postgres: {
        url: 'postgres://u:p%40hush@db1:5433,db2/tocsin?sslmode=require',
        listenUrl: '',
        schema: 'tocsin',
        leaseMs: 3_000,
        commitTimeoutMs: 5_000,
        requireSynchronous: false,
      },
    })
    assert.deepEqual(config.replica, { name: hostname(), address: 'http://10.0.0.7:3000' })
  })
  it('postgres can be given by variables alone', () => {
    const env = {
      STORAGE_TYPE: 'postgres',
      STORAGE_POSTGRES_URL: 'postgresql://db/x',
      STORAGE_POSTGRES_LEASE: '2s',
      REPLICA_NAME: 'a',
      REPLICA_ADDRESS: 'http://a:1',
    }
    const { config, warnings } = load('', { env })
    assert.ok(config.storage.type === 'postgres')
    assert.deepEqual([config.storage.postgres.leaseMs, config.replica.name, warnings], [2_000, 'a', []])
  })
  it('postgres without a database is refused, and so is another type', () => {
    assert.match(
      issueOf(postgres('')),
      /storage\.postgres\.url: is missing, but storage\.type is postgres; set it or STORAGE_POSTGRES_URL/,
    )
    assert.match(issueOf('storage: { type: redis }'), /storage\.type: must be one of file, postgres/)
  })
  it('names each bad value, and no secret', () => {
    const keys = 'url: "mysql://u:hush@db", schema: Pg_x, lease: 90s, commit_timeout: 10ms, require_synchronous: often'
    const issues = issuesOf(postgres(keys)).join('\n')
    for (const said of [
      /postgres\.url: must be an address such as postgres:/,
      /postgres\.schema: must be a name/,
      /postgres\.lease: must be a time from 2s to 1m/,
      /postgres\.commit_timeout: must be a time from 1s/,
      /postgres\.require_synchronous: must be true or false/,
    ])
      assert.match(issues, said)
    assert.doesNotMatch(issues, /hush/)
  })
  it('leaves bad values of the other type without effect', () => {
    const { warnings } = load('storage: { postgres: { lease: 1h } }')
    assert.match(warnings.join(), /storage\.postgres\.lease.*because storage\.type is file$/)
    assert.match(issueOf('storage: { type: file, file: { max_incidents: 0 } }'), /max_incidents/)
    assert.match(
      load(postgres(`${URL} }, file: { max_backlog: 0`)).warnings.join(),
      /max_backlog.*storage\.type is postgres$/,
    )
  })
  it('keeps the password of the database out of the shown configuration and of every log line', () => {
    const { config } = load(postgres(URL))
    assert.doesNotMatch(JSON.stringify(redacted(config)), /hush/)
    for (const text of ['p%40hush', 'p@hush']) assert.ok(secretValues(config).includes(text), text)
  })
  it('warns where replicas cannot reach each other, and where each needs the same files', () => {
    const { warnings } = load(
      `storage: { type: postgres, postgres: { ${URL} } }\nagent: { enable: true, sources: [{ name: a, type: file, file: { path: x } }] }`,
    )
    assert.match(warnings.join('\n'), /replica\.address: is empty, so other replicas cannot reach this one/)
    assert.match(warnings.join('\n'), /agent\.sources\.0: is a file/)
  })
})
