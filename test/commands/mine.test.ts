import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { mine } from '../../src/commands/mine.ts'
import { runCommand } from '../../src/commands/run-command.ts'
import { folder } from '../harness/config-file.ts'

/** A log of ten minutes: something fails now and then, and near the end something else. */
function log(): string {
  const path = join(folder(), 'app.log')
  const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 0, second)).toISOString()
  const lines = Array.from(
    { length: 60 },
    (_, n) => `${at(10 * n)} ERROR replica ${n} lags ${n * 7} seconds behind its primary`,
  )
  lines.splice(
    50,
    0,
    ...Array.from({ length: 3 }, (_, n) => `${at(495 + n)} FATAL handshake with broker ${n} timed out`),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

async function run(t: TestContext, ...args: string[]) {
  const printed: string[] = []
  t.mock.method(console, 'log', (text: string) => printed.push(text))
  t.mock.method(console, 'error', (text: string) => printed.push(text))
  const code = await runCommand(mine, args)
  t.mock.restoreAll()
  return { code, text: printed.join('\n') }
}

test('findings over a log have the times of its lines', async (t) => {
  const { code, text } = await run(t, log(), '--json')
  const mined = JSON.parse(text)
  assert.deepEqual([code, mined.lines, mined.learned, mined.learn_percent], [0, 63, 63, 50])
  assert.deepEqual([mined.from, mined.to], ['2026-01-02T03:00:00.000Z', '2026-01-02T03:09:50.000Z'])
  assert.deepEqual([mined.raised.length, mined.calls, mined.calls_refused], [1, 1, 0])
  const [raised] = mined.raised
  assert.deepEqual([raised.verdict, raised.phase, raised.frequency], ['unknown', 'opened', 3])
  assert.match(raised.template, /FATAL handshake with broker <\*> timed out/)
  assert.ok(raised.at > '2026-01-02T03:08:15' && raised.at <= '2026-01-02T03:08:45', raised.at)
})

test('the report is readable; a new service is learned in its grace', async (t) => {
  const path = log()
  const { text } = await run(t, path)
  assert.match(text, /63 lines, 2026-01-02T03:00:00.000Z to .*; \d+ ticks of 30 s/)
  assert.match(text, /unknown {2}app.log {2}3 lines, usually 0.0/)
  assert.match(text, /incidents raised: 1; calls of the model: 1$/)
  assert.match((await run(t, path, '--learn', '0')).text, /incidents raised: 0/)
})

test('only lines that pass the rules are learned, and all lines on request', async (t) => {
  const path = join(folder(), 'app.log')
  writeFileSync(path, 'INFO one\nINFO two\nERROR three\n')
  assert.equal(JSON.parse((await run(t, path, '--json')).text).learned, 1)
  const { learned, lines, from } = JSON.parse((await run(t, path, '--json', '--all')).text)
  assert.deepEqual([learned, lines, from], [3, 3, null])
})

test('a wrong command line is an error with advice', async (t) => {
  const path = log()
  for (const [args, message] of [
    [[], /needs one FILE/],
    [[path, path], /needs one FILE/],
    [[`${path}.nosuch`], /is not a file/],
    [[path, '--learn', 'much'], /from 0 to 100/],
    [[path, '--format', 'xml'], /text or json/],
  ] as const) {
    const { code, text } = await run(t, ...args)
    assert.equal(code, 2)
    assert.match(text, message)
  }
})
