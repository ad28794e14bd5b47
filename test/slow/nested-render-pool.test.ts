import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const fixture = fileURLToPath(new URL('../render/pool/fixtures/nested-pool.ts', import.meta.url))
const QUIET = '--disable-warning=ExperimentalWarning'

for (const [how, flags] of Object.entries({ directly: [QUIET], 'through tsx': [QUIET, '--import', 'tsx'] })) {
  for (const ending of ['close', 'leave']) {
    test(`a pool in a worker thread, run ${how}, renders and lets the process end (${ending})`, async () => {
      const { stdout, stderr } = await run(process.execPath, [...flags, fixture, ending], { timeout: 30_000 })
      assert.equal(stdout, 'rendered 1, rendered 2\n')
      assert.equal(stderr, '')
    })
  }
}
