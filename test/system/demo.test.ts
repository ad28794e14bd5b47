import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SAMPLES } from '../../src/render/samples/samples.ts'

const CLI = fileURLToPath(new URL('../../src/tocsin.js', import.meta.url))

test('the demo sends every sample to every channel and ends', async (t) => {
  const printed = await demo(t)
  assert.match(printed, new RegExp(`${SAMPLES.length} incidents were sent to 7 channels`))
})

test('the demo of a storm tells 2,000 alerts by few messages, one of them a digest', async (t) => {
  const printed = await demo(t, '--storm')
  const [, messages] = /All 2000 alerts were notified after [\d.]+ s, by (\d+) messages/.exec(printed) ?? []
  assert.ok(Number(messages) <= 40, printed)
  assert.match(printed, /🌩 Digest 1·1: [\d,]+ alerts of \d+ problems/)
  assert.match(printed, /^ +🔴 \*CRITICAL \w+ is down\*/m)
})

test('the demo of a group tells a cluster by one message that is edited, a louder one and the end', async (t) => {
  const printed = await demo(t, '--group')
  assert.match(printed, /👥 Group \d+: 12 problems \(\+11\), all fire\n/)
  assert.match(printed, /👥 Group \d+ is over: 25 alerts of 12 problems in/)
  assert.match(printed, /25 alerts became 3 messages and \d+ edits?/)
})

/** Runs the demo until every message has arrived, and returns what it prints. */
async function demo(t: TestContext, ...options: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, 'demo', '--once', ...options], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 0)
  return printed
}
