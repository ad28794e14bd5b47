import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Results } from '../../bench/results.ts'

const MAIN = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))

function bench(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

test('an unknown trial is refused with the names that exist', async () => {
  const { code, stderr } = await bench('ingets')
  assert.equal(code, 2)
  assert.match(stderr, /no trial is called ingets\n.*^ +ingest .*^ +pipeline /ms)
})

test('rough figures are not published', async () => {
  const { code, stderr } = await bench('start', '--quick', '--publish')
  assert.equal(code, 2)
  assert.match(stderr, /rough figures are not published/)
})

test('when a case fails the others are shown, the failure is written, and the exit code is 1', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-bench-test-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const json = join(dir, 'results.json')
  const { code, stdout, stderr } = await bench('mine', '--quick', '--data', dir, '--json', json)
  assert.equal(code, 1)
  assert.match(stdout, /### mine: memory.*\n\| 300,000 \|.*mine FAILED: 2\/5 .*ENOENT/s)
  assert.match(stderr, /FAILED: mine\n$/)
  const { trials } = JSON.parse(readFileSync(json, 'utf8')) as Results
  assert.deepEqual(
    trials.mine?.errors.map((error) => error.slice(0, 3)),
    ['2/5', '4/5', '5/5'],
  )
})
