import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { postgresServer } from '../harness/postgres.ts'
import { spawnService } from '../harness/process.ts'

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
