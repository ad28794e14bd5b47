import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { configFile, folder } from '../../harness/config-file.ts'
import { startProcess } from '../../harness/process.ts'
import { twoChannels } from '../../harness/providers.ts'
import { post } from '../../harness/requests.ts'
import { until } from '../../harness/until.ts'

const MINUTE_MS = 60_000
const minute = () => Math.floor(Date.now() / MINUTE_MS)
/** The objective is looked at with each minute of the clock. */
const nextMinute = (after: number) => until(minute, (now) => now > after, { deadlineMs: 2 * MINUTE_MS, everyMs: 500 })

test('a provider that fails burns the objective: one notice through the other, also over a kill', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  chat.script = () => ({ status: 500 })
  const delivery = { attempts: 1_000, backoff: { initial: '1s', max: '5s' } }
  const file = configFile(folder(), {
    ...{ alert, delivery, slo: { told_within: '1s', objective: 99.9 } },
    log: { level: 'info' },
  })
  const first = await startProcess(t, file)
  for (const name of ['first', 'second', 'third']) await post(first.url, { ServiceName: name })
  const notices = () => flow.requests.filter(({ text }) => text.includes('The objective is 99.9 % within 1 s'))
  await until(notices, (found) => found.length > 0, { deadlineMs: 2 * MINUTE_MS })
  assert.match(notices()[0]?.text ?? '', /3 of 6, 3 of them not told yet/)
  assert.equal(
    chat.requests.some(({ text }) => text.includes('The objective is')),
    false,
  )

  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const second = await startProcess(t, file)
  await nextMinute(minute())
  // The turn that applies it has looked at the new minute.
  await post(second.url, { ServiceName: 'fourth' })
  await flow.waitFor(({ body }) => body.includes('fourth'))
  assert.equal(notices().length, 1)
})
