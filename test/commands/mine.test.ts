import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { mine } from '../../src/commands/mine.ts'
import { replay } from '../../src/commands/replay.ts'
import { runCommand } from '../../src/commands/run-command.ts'
import type { Received } from '../../src/simulator/exchange.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { twoChannels } from '../harness/providers.ts'
import { admin, post, SECRET } from '../harness/requests.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

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

test('dead letters are sent again, and the exit code says whether all arrived', async (t) => {
  const { url, refuse, dead, run } = await setup(t)
  refuse(() => true)
  for (const name of ['a', 'b', 'c']) await post(url, { ServiceName: name })
  await dead(3)
  refuse(({ text }) => text.includes('b'))
  assert.deepEqual(await run(), { code: 1, printed: ['of 3 dead letters 2 are sent, 1 are dead again'] })
  refuse(() => false)
  assert.deepEqual(await run('--channel', 'chatws'), {
    code: 0,
    printed: ['of 1 dead letters 1 are sent, 0 are dead again'],
  })
  assert.deepEqual(await run(), { code: 0, printed: ['there are no dead letters'] })
})

test('dead letters of one incident can be sent alone, and without waiting', async (t) => {
  const { url, refuse, dead, run } = await setup(t)
  refuse(() => true)
  const answer = await post(url, { ServiceName: 'a' })
  await post(url, { ServiceName: 'b' })
  await dead(2)
  refuse(() => false)
  const id = answer.headers.get('x-incident-id') ?? ''
  assert.deepEqual(await run('--id', id), { code: 0, printed: ['of 1 dead letters 1 are sent, 0 are dead again'] })
  assert.deepEqual(await run('--no-wait'), { code: 0, printed: ['1 of 1 dead letters are sent again'] })
  await assert.rejects(run('--id', 'no-such-incident'), { name: 'ServiceError', status: 404 })
  await assert.rejects(run('--channel', 'slack'), /--channel must be one of chatws/)
})

test('each destination of one channel has a dead letter of its own', async (t) => {
  const { url, refuse, dead, run } = await setup(t, {
    routes: [{ name: 'both', to: ['chatws', { chatws: 'payments' }] }],
  })
  refuse(() => true)
  const answer = await post(url, { ServiceName: 'a' })
  const id = answer.headers.get('x-incident-id') ?? ''
  await dead(2)
  refuse(({ body }) => body.includes('"C2"'))
  assert.deepEqual(await run(), { code: 1, printed: ['of 2 dead letters 1 are sent, 1 are dead again'] })
  refuse(({ body }) => body.includes('"C1"'))
  assert.deepEqual(await run('--id', id), { code: 0, printed: ['of 1 dead letters 1 are sent, 0 are dead again'] })
})

/**
 * Starts a service with one channel that refuses chosen messages; returns the command that replays its dead letters.
 * @param sections more sections of the configuration
 */
async function setup(t: TestContext, sections: object = {}) {
  const { chat, alert } = await twoChannels(t)
  const chatws = { ...alert.chatws, other_channel_ids: { payments: 'C2' } }
  const { url } = await startTestSystem(t, configFile(folder(), { alert: { chatws }, ...sections }))
  const lines: string[] = []
  t.mock.method(console, 'log', (line: string) => lines.push(line))
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  return {
    url,
    refuse(which: (message: Received) => boolean) {
      chat.script = (message) => (which(message) ? { body: { ok: false, error: 'channel_not_found' } } : undefined)
    },
    async dead(count: number) {
      const dead = async () => await admin<{ deliveries: unknown[] }>(url, '/api/admin/deliveries?state=dead')
      await until(dead, ({ deliveries }) => deliveries.length === count)
    },
    async run(...args: string[]) {
      const code = await replay.run(['--url', url, ...args])
      return { code, printed: lines.splice(0) }
    },
  }
}
