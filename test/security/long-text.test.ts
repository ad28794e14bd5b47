import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { spawnNode } from '../harness/spawn.ts'

const FIXTURE = fileURLToPath(new URL('fixtures/reads-long-text.ts', import.meta.url))
/** In linear time each text takes less than a second; in quadratic time it takes minutes. */
const PATIENCE_MS = 180_000

test('a megabyte of anything in a row is read in time that grows no faster than the text', async () => {
  const child = spawnNode([FIXTURE])
  const stuck = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  let isDone = false
  createInterface({ input: child.stdout as Readable }).on('line', (line) => {
    isDone ||= line === 'done'
    stuck.refresh()
  })
  await once(child, 'close')
  clearTimeout(stuck)
  assert.ok(isDone)
})
