import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const FIXTURE = fileURLToPath(new URL('fixtures/reads-long-text.ts', import.meta.url))
/** In linear time all texts take a few seconds; in quadratic time a single one takes minutes. */
const PATIENCE_MS = 100_000

test('a megabyte of anything in a row is read in time that grows no faster than the text', async () => {
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, ['--import', 'tsx', FIXTURE], { timeout: PATIENCE_MS }, (_, out, err) =>
      resolve(`${out}${err}`),
    ),
  )
  assert.match(said, /^done$/m)
})
