import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Ledger } from '../harness/audit/ledger.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post } from '../harness/net/requests.ts'
import { end, startProcess } from '../harness/process.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { watchThreads } from '../harness/threads.ts'
import { until } from '../harness/until.ts'

const PATIENT = { attempts: 1000, backoff: { initial: '20ms', max: '200ms' }, timeout: '60s' }

test('SIGTERM while a provider hangs exits 0, and the attempt is on record as unknown', async (t) => {
  const { chat, alert } = await twoChannels(t)
  chat.script = () => ({ hang: true })
  const file = configFile(folder(), { alert: { chatws: alert.chatws }, delivery: PATIENT, log: { level: 'info' } })
  const { child, url, output } = await startProcess(t, file)
  const answer = await post(url, { ServiceName: 'hanging' })
  await chat.waitFor(({ body }) => body.includes('hanging'))
  assert.deepEqual(await end(child, 'SIGTERM'), [0, null])
  assert.doesNotMatch(output(), /a step of the shutdown failed/)

  chat.script = undefined
  const again = await startTestSystem(t, file)
  await chat.waitFor(() => chat.requests.length > 1)
  const id = answer.headers.get('x-incident-id') ?? ''
  const { deliveries } = (await admin(again.url, `/api/admin/incidents/${id}`)) as {
    deliveries: { attempts: { outcome: string; may_duplicate: boolean }[] }[]
  }
  assert.equal(deliveries[0]?.attempts[0]?.outcome, 'retry')
})

test('SIGTERM answers 503, finishes what is under way and exits 0; nothing accepted is lost', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const mayAnswer = Promise.withResolvers<void>()
  flow.script = () => ({ status: 202, after: mayAnswer.promise })
  const file = configFile(folder(), { alert, log: { level: 'info' } })
  const first = await startProcess(t, file)
  const ledger = new Ledger()
  await ledger.load(first.url, new AbortController().signal, 200)
  await flow.waitFor(() => true)
  const exit = once(first.child, 'exit')
  first.child.kill('SIGTERM')
  await until(
    () => post(first.url, { ServiceName: 'late' }).catch(() => undefined),
    (answer) => answer === undefined || answer.status === 503,
  )
  mayAnswer.resolve()
  assert.deepEqual(await exit, [0, null])

  await startProcess(t, file)
  const missing = () =>
    [...ledger.accepted.keys()].filter((mark) =>
      [chat, flow].some(({ requests }) => !requests.some(({ body }) => body.includes(mark))),
    )
  await until(missing, ({ length }) => length === 0)
})

for (const victim of ['store', 'send']) {
  test(`a stop while the ${victim} thread is dead answers pending requests and ends`, async (t) => {
    const threads = watchThreads(t)
    const { flow, alert } = await twoChannels(t)
    const file = configFile(folder(), { alert: { officechat: alert.officechat } })
    const system = await startTestSystem(t, file)
    const posts = Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => post(system.url, { ServiceName: `waiting-${n}-end` })),
    )
    await threads.get(victim)?.terminate()
    await system.stop()
    const answers = await posts
    const accepted = answers.flatMap((each, n) =>
      each.status === 'fulfilled' && each.value.status === 201 ? [`waiting-${n}-end`] : [],
    )
    await startTestSystem(t, file)
    for (const name of accepted) await flow.waitFor(({ body }) => body.includes(name))
  })
}
