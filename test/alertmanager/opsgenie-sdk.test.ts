import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { IncidentPage } from '../../src/api/incident.ts'
import type { ProblemPage } from '../../src/api/noise/problem.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'

const KEY = 'an-api-key-of-the-sdk'
const run = promisify(execFile)
const hasGo = spawnSync('go', ['version']).status === 0

test('the SDK of Opsgenie for Go creates, acknowledges, notes and closes, learns the state of each request, and pings', {
  skip: !hasGo && 'go is missing',
}, async (t) => {
  const cwd = join(import.meta.dirname, 'opsgenie-sdk')
  const program = join(folder(), 'sdk')
  await run('go', ['build', '-o', program, '.'], { cwd })
  const { url } = await startTestSystem(
    t,
    configFile(folder(), {
      intake: { opsgenie: { api_keys: { sdk: KEY } } },
      heartbeats: [{ name: 'nightly backup', slug: 'backup', every: '1h' }],
    }),
  )
  const { stdout } = await run(program, [new URL(url).host, KEY, 'nightly backup'])
  const steps = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly [fact: string]: unknown })

  const known = {
    alias: 'queue-mail',
    answered: 'Request will be processed',
    isSuccess: true,
    limits: 'OK',
    timed: true,
  }
  const step = (name: string, action: string) => ({ ...known, action, step: name })
  assert.deepEqual(steps.slice(0, 6), [
    step('create', 'Create'),
    step('acknowledge', 'Create'),
    step('note', 'Create'),
    step('close by id', 'Close'),
    step('create again', 'Create'),
    step('close by alias', 'Close'),
  ])
  assert.match(String(steps[6]?.error), /404.*Alert does not exist/)
  assert.deepEqual(steps[7], { step: 'ping', message: 'PONG - Heartbeat received' })
  assert.match(String(steps[8]?.error), /404.*Heartbeat does not exist/)

  const { incidents } = await admin<IncidentPage>(url, '/api/admin/incidents')
  assert.deepEqual(
    incidents.map(({ reported_status }) => reported_status),
    ['resolved', 'firing', 'resolved', 'firing'],
  )
  const { problems } = await admin<ProblemPage>(url, '/api/admin/problems')
  assert.deepEqual(
    problems.map(({ fingerprint }) => fingerprint),
    ['opsgenie_alert:sdk:queue-mail'],
  )
})
