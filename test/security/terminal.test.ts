import assert from 'node:assert/strict'
import { test } from 'node:test'
import { console as consoleChannel } from '../../src/channels/adapters/console.ts'
import { printReport } from '../../src/commands/mine-report.ts'
import { DIRECT } from '../../src/outbound/network.ts'
import { createLog, readable } from '../../src/telemetry/log.ts'
import { messageOf } from '../channels/setup.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { post } from '../harness/net/requests.ts'
import { startProcess } from '../harness/process.ts'
import { until } from '../harness/until.ts'

/** Escape sequences in seven and in eight bits, a bell, a line turned around, and what begins a line of its own. */
const STEERING = '\u001b[2J\u009b31m\u0007\u202egnp.exe\u2066\u2028\u0085'
const FORGED = '{"level":"error","message":"forged"}'
const HOSTILE = `${STEERING}\r\n${FORGED}\n00:00:00.000 ERROR forged`
/** Controls but the line feed, and marks of direction. */
const STEERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

test('a line of the log is one line that steers no terminal, and holds what was said', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', secrets: [], write: (line) => lines.push(line) })
  log.warn({ detail: HOSTILE, deep: [{ [HOSTILE]: HOSTILE }] }, HOSTILE)
  const [line = '', ...more] = lines
  assert.deepEqual([more, line.indexOf('\n')], [[], line.length - 1])
  assert.doesNotMatch(line, STEERS)
  const { detail, deep, message } = JSON.parse(line)
  assert.deepEqual([detail, deep, message], [HOSTILE, [{ [HOSTILE]: HOSTILE }], HOSTILE])
})

test('on a terminal nothing that others wrote begins a line or steers it', () => {
  const line = JSON.stringify({ level: 'warn', time: '2026-01-02T03:04:05.678Z', detail: HOSTILE, message: HOSTILE })
  const [first = '', ...rest] = readable(line).trimEnd().split('\n')
  assert.match(first, /^03:04:05\.678 WARN /)
  assert.ok(rest.length > 0 && rest.every((each) => each.startsWith('    ')), JSON.stringify(rest))
  assert.doesNotMatch(readable(line), STEERS)
})

test('a payload that is printed for debugging is one line that steers no terminal', async (t) => {
  const { url, output } = await startProcess(
    t,
    configFile(folder(), { alert: { debug_body: true }, log: { level: 'info' } }),
  )
  const payload = { title: 'hostile', text: HOSTILE }
  for (const each of [payload, { title: 'second' }]) assert.equal((await post(url, each)).status, 201)
  // Output that was written before the answer may still be on its way here.
  await until(output, (text) => text.includes('"second"'))
  const printed = output().split('\n')
  const at = printed.findIndex((line) => line.startsWith('{"title":"hostile"'))
  assert.deepEqual(JSON.parse(printed[at] ?? ''), payload)
  assert.doesNotMatch(printed[at] ?? '', STEERS)
  assert.ok(printed.includes('{"title":"second"}'), printed.join('\n'))
  assert.ok(!printed.includes(FORGED))
})

test('a message on the console channel steers no terminal, and every line of it stands in its frame', async () => {
  const printed: string[] = []
  const channel = consoleChannel.create(
    {},
    { post: () => assert.fail(), network: DIRECT, print: (text) => printed.push(text), publicHost: '', now: () => 0 },
  )
  await channel.send(messageOf({ text: HOSTILE }), new AbortController().signal)
  const [text = ''] = printed
  assert.doesNotMatch(text, STEERS)
  const framed = text.split('\n').slice(0, -1)
  assert.ok(
    framed.every((line) => /^[┌│└]/.test(line)),
    text,
  )
})

test('what was mined of a log steers no terminal', (t) => {
  const print = t.mock.method(globalThis.console, 'log', () => {})
  const raised = {
    at: '',
    verdict: 'unknown' as const,
    phase: 'opened' as const,
    frequency: 1,
    baseline: 0,
    asked: false,
    pattern_id: 'p',
    template: HOSTILE,
    service: HOSTILE,
    sample: HOSTILE,
  }
  const counts = { lines: 1, learned: 1, patterns: 1, ticks: 1, tick_s: 1, learn_percent: 50, lines_per_s: 1 }
  printReport({ file: 'app.log', ...counts, from: null, to: null, raised: [raised], calls: 0, calls_refused: 0 })
  const said = print.mock.calls.map(({ arguments: [text] }: { arguments: unknown[] }) => String(text))
  assert.match(said.join('\n'), /1 lines, usually 0\.0/)
  for (const line of said) assert.doesNotMatch(line, STEERS)
})
