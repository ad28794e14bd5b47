import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { recordingLoads } from '../../harness/loaded-files.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, startProcess } from '../../harness/process.ts'
import { until } from '../../harness/until.ts'

/** Bundles hold files that nothing runs. */
const SOURCES = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** Runs a service until a problem is there; returns what its threads loaded of briefs. */
async function loadedBy(t: TestContext, enable: boolean): Promise<string[]> {
  const dir = folder()
  const list = join(dir, 'loaded.txt')
  const config = configFile(dir, { brief: { enable }, log: { level: 'info' } })
  const { url, child } = await startProcess(t, config, recordingLoads(list), SOURCES)
  await post(url, { title: 'ledger is down', severity: 'critical' })
  await until(
    () => admin<ProblemPage>(url, '/api/admin/problems'),
    ({ problems }) => problems.length === 1,
  )
  await end(child, 'SIGTERM')
  const files = readFileSync(list, 'utf8').split('\n')
  assert.ok(files.some((file) => file.endsWith('/src/store/turn.ts')))
  return files.filter((file) => /\/src\/(store\/)?brief\//.test(file))
}

test('without brief.enable no thread loads a file of the history of problems', async (t) => {
  assert.deepEqual(await loadedBy(t, false), [])
})

test('brief.enable loads them', async (t) => {
  assert.ok((await loadedBy(t, true)).some((file) => file.endsWith('/src/store/brief/openings.ts')))
})
