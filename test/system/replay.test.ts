import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { replay } from '../../src/commands/replay.ts'
import type { Received } from '../../src/simulator/exchange.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post, SECRET } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

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
