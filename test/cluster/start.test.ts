import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { configFile, folder } from '../harness/config-file.ts'
import { postgresServer } from '../harness/postgres.ts'
import { spawnService } from '../harness/process.ts'
import { until } from '../harness/until.ts'
import { skip, startCluster } from './cluster.ts'

test('a replica with a template that cannot be parsed ends at its start, whether it would lead or follow', async (t) => {
  const server = await postgresServer()
  if ('missing' in server) return t.skip(server.missing)
  const dir = folder()
  const template = join(dir, 'chatws.tmpl')
  writeFileSync(template, '{{ if }}')
  const alert = {
    chatws: { enable: true, token: 'x', channel_id: 'C1', api_url: 'http://127.0.0.1:9', template_path: template },
  }
  const storage = {
    type: 'postgres',
    file: { data_dir: join(dir, 'data') },
    postgres: { url: await server.database() },
  }
  const { child, url, output } = spawnService(t, configFile(dir, { alert, storage, log: { level: 'info' } }))
  await assert.rejects(url, /ended with 1 before it was ready/)
  assert.equal(child.exitCode, 1)
  assert.match(output(), /chatws\.tmpl/)
})

test('a change of a table that others read holds up nobody for long, and is made when they are done', {
  skip,
}, async (t) => {
  const { replicas, database } = await startCluster(t, { replicas: 1, config: {} })
  const [replica] = replicas
  assert.ok(replica)
  await replica.end('SIGTERM')
  const reader = new Client(database)
  const other = new Client(database)
  await Promise.all([reader.connect(), other.connect()])
  try {
    await other.query(`UPDATE tocsin.schema_versions SET version = 1 WHERE part = 'journal'`)
    await reader.query('BEGIN; SELECT count(*) FROM tocsin.journal')
    const started = replica.start()
    const waiting = async () => {
      const { rows } = await other.query(
        `SELECT 1 FROM pg_locks WHERE relation = 'tocsin.journal'::regclass AND NOT granted`,
      )
      return rows.length > 0
    }
    await until(waiting, (is) => is)
    await until(waiting, (is) => !is)
    await reader.query('COMMIT')
    await started
    const { rows } = await other.query(`SELECT version::int FROM tocsin.schema_versions WHERE part = 'journal'`)
    assert.deepEqual(rows, [{ version: 2 }])
  } finally {
    await Promise.all([reader.end(), other.end()])
  }
})
