import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../src/api/incident.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post } from '../harness/net/requests.ts'
import { postgresServer } from '../harness/postgres.ts'
import { startProcess } from '../harness/process.ts'
import { spawnNode } from '../harness/spawn.ts'
import { until } from '../harness/until.ts'

const CLI = new URL('../../src/tocsin.js', import.meta.url).pathname
const INCIDENTS = 400
const POSTERS = 16

async function runMigrate(file: string): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawnNode([CLI, 'migrate', '--to', 'postgres', '--config', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => lines.push(String(chunk)))
  const [code] = await once(child, 'close')
  return { code, output: lines.join('') }
}

interface Answered {
  readonly id: string
  readonly key: string
}

const idIn = (answer: Response) => answer.headers.get('X-Incident-Id') ?? ''

/** Posts incidents with keys; resolves with those that were accepted before the service ended. */
async function postUntilKilled(url: string, kill: (accepted: number) => void): Promise<Answered[]> {
  const accepted: Answered[] = []
  let next = 0
  const poster = async () => {
    while (next < INCIDENTS) {
      const key = `key-${next++}`
      const answer = await post(url, { title: `disk ${key}`, service: key }, { 'Idempotency-Key': key }).catch(
        () => undefined,
      )
      if (answer?.status !== 201) continue
      accepted.push({ key, id: idIn(answer) })
      kill(accepted.length)
    }
  }
  await Promise.all(Array.from({ length: POSTERS }, poster))
  return accepted
}

async function freshDatabase(t: TestContext): Promise<string | undefined> {
  const server = await postgresServer()
  if ('missing' in server) return void t.skip(server.missing)
  return server.database()
}

test('what a killed service had accepted in files is in PostgreSQL after migrate, once, and its keys still hold', async (t) => {
  const database = await freshDatabase(t)
  if (database === undefined) return
  const dir = folder()
  const alert = { chatws: { enable: true, token: 'x', channel_id: 'C1', api_url: 'http://127.0.0.1:9' } }
  const log = { level: 'info' }
  const file = { data_dir: join(dir, 'data'), max_incidents: 10_000 }
  const fromFiles = await startProcess(t, configFile(dir, { alert, storage: { file }, log }))
  const accepted = await postUntilKilled(fromFiles.url, (count) => {
    if (count === INCIDENTS / 2) fromFiles.child.kill('SIGKILL')
  })
  assert.ok(accepted.length >= INCIDENTS / 2)

  const patterns = JSON.stringify({ learned: 'before' })
  writeFileSync(join(dir, 'data', 'patterns.json'), patterns)
  const storage = { type: 'postgres', postgres: { url: database, max_incidents: 10_000 }, file }
  const moved = configFile(dir, { alert, storage, log, replica: { name: 'one' } })
  const first = await runMigrate(moved)
  assert.equal(first.code, 0, first.output)
  assert.match(first.output, /incidents: \d+ rows/)
  assert.match(first.output, /patterns.json: copied/)
  const again = await runMigrate(moved)
  assert.equal(again.code, 1, again.output)
  assert.match(again.output, /holds incidents already/)

  const server = await postgresServer()
  assert.ok(!('missing' in server))
  assert.deepEqual(await server.sql('SELECT name, body FROM tocsin.documents', database), [
    { name: 'patterns.json', body: patterns },
  ])

  const { url } = await startProcess(t, moved)
  await until(async () => (await fetch(`${url}/readyz`)).status === 200)
  const total = () => admin<IncidentPage>(url, '/api/admin/incidents?limit=500')
  const page = await until(total, ({ unapplied, incidents }) => unapplied === 0 && incidents.length >= accepted.length)
  const ids = new Set(page.incidents.map(({ id }) => id))
  assert.deepEqual(
    accepted.filter(({ id }) => !ids.has(id)),
    [],
  )
  const { id, key } = accepted[0] as Answered
  const detail = await admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)
  assert.equal(detail.service, key)
  assert.equal(detail.deliveries.length, 1)
  const repeated = await post(url, { title: 'again' }, { 'Idempotency-Key': key })
  assert.equal(repeated.status, 200)
  assert.equal(idIn(repeated), id)
  const fresh = idIn(await post(url, { title: 'new' }))
  assert.ok(!ids.has(fresh))
  await until(total, ({ incidents }) => incidents.some((each) => each.id === fresh))
})
