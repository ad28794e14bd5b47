import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { auditedProvider } from '../harness/audit/audited-provider.ts'
import { Ledger } from '../harness/audit/ledger.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { startProcess } from '../harness/process.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'

const COUNT = 400

test('kill -9 in the middle of a load: everything that was answered 201 is on record and arrives after a restart', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const file = configFile(folder(), { alert, log: { level: 'info' } })
  const first = await startProcess(t, file)
  const ledger = new Ledger()
  const stop = new AbortController()
  const load = ledger.load(first.url, stop.signal, COUNT)
  await until(
    () => ledger.accepted.size,
    (accepted) => accepted > COUNT / 4,
  )
  const exit = once(first.child, 'exit')
  first.child.kill('SIGKILL')
  await exit
  stop.abort()
  await load
  assert.ok(ledger.accepted.size < COUNT, 'the kill came after the load')

  const second = await startProcess(t, file)
  await ledger.audit(second.url, providers)
})
