import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import { postAlerts } from '../../harness/alerts.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const ALERTS = 1_000
const TIMES = 60

test('alerts that are sent again and again write no byte of the journal', async (t) => {
  const dir = folder()
  const { url } = await startTestSystem(t, configFile(dir, { storage: { file: { data_dir: join(dir, 'data') } } }))
  const journal = () => {
    const folderOf = join(dir, 'data', 'journal')
    const hash = createHash('sha256')
    for (const name of readdirSync(folderOf).sort()) hash.update(readFileSync(join(folderOf, name)))
    return hash.digest('hex')
  }
  const all = async (value: string) => {
    for (let first = 0; first < ALERTS; first += 250) {
      const alerts = Array.from({ length: 250 }, (_, at) => ({
        labels: { alertname: `Disk${first + at}` },
        annotations: { value },
        forMs: 240_000,
      }))
      assert.equal((await postAlerts(url, alerts)).status, 200)
    }
  }
  await all('first')
  await until(
    () => admin<ProblemPage>(url, '/api/admin/problems'),
    ({ firing }) => firing === ALERTS,
  )
  const before = journal()
  for (let times = 0; times < TIMES; times++) await all(String(times))
  assert.equal(journal(), before)
  assert.equal((await admin<ProblemPage>(url, '/api/admin/problems')).firing, ALERTS)
})
