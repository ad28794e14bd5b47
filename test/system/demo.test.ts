import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SAMPLES } from '../../src/render/samples/samples.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

test('the demo sends every sample to every channel and ends', async (t) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, 'demo', '--once'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 0)
  assert.match(printed, new RegExp(`${SAMPLES.length} incidents were sent to 6 channels`))
})
