import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { OPTIONS } from '../mining/lines.ts'

/** Without the bounds of the miner these lines take several times as much memory. */
const HEAP_MIB = 40

test('an endless stream of new words takes no more memory than the patterns that are kept', () => {
  const script = new URL('../mining/detect/flood.ts', import.meta.url).pathname
  const args = [`--max-old-space-size=${HEAP_MIB}`, '--disable-warning=ExperimentalWarning', script]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const { lines, patterns, evicted } = JSON.parse(stdout)
  assert.equal(lines, 100_000)
  assert.ok(patterns <= OPTIONS.miner.maxPatterns)
  assert.ok(evicted > 20_000)
})
