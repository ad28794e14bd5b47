import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Results } from '../../bench/results.ts'

const MAIN = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))

function bench(args: readonly string[], env = process.env): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', MAIN, ...args],
      { env },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

test('an unknown trial is refused with the names that exist', async () => {
  const { code, stderr } = await bench(['ingets'])
  assert.equal(code, 2)
  assert.match(stderr, /no trial is called ingets\n.*^ +ingest .*^ +pipeline /ms)
})

test('rough figures are not published', async () => {
  const { code, stderr } = await bench(['start', '--quick', '--publish'])
  assert.equal(code, 2)
  assert.match(stderr, /rough figures are not published/)
})

test('when a trial fails the others are shown, the failure is written, and the exit code is 1', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-bench-test-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const [json, html] = [join(dir, 'results.json'), join(dir, 'report.html')]
  const breaks = "if (process.argv[2]?.includes('render.ts')) throw new Error('the case is broken')"
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breaks)}` }
  const args = ['render', 'mine', '--quick', '--json', json, '--html', html]
  const { code, stdout, stderr } = await bench(args, env)
  assert.equal(code, 1)
  assert.match(stdout, /render FAILED: .*ended with 1 without a result.*### mine: memory.*\n\| 300,000 \|/s)
  assert.match(stderr, /FAILED: render\n$/)
  const { trials } = JSON.parse(readFileSync(json, 'utf8')) as Results
  assert.deepEqual(
    Object.entries(trials).map(([name, { errors }]) => [name, errors.length > 0]),
    [
      ['render', true],
      ['mine', false],
    ],
  )
  const page = readFileSync(html, 'utf8')
  assert.match(page, /failed: .*<h2>mine<\/h2>.*<td class="">300,000<\/td>/s)
  assert.match(page, /Content-Security-Policy" content="default-src 'none';/)
  assert.doesNotMatch(page, /<(script|img|iframe|link)\b|@import|url\(/)
})
