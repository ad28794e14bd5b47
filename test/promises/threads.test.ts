import { test } from 'node:test'
import { auditedProvider } from '../harness/audit/audited-provider.ts'
import { Ledger } from '../harness/audit/ledger.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { watchThreads } from '../harness/threads.ts'
import { until } from '../harness/until.ts'

const COUNT = 300

test('the store and the send thread die under load: each is started again, and nothing accepted is lost', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const threads = watchThreads(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const ledger = new Ledger()
  const load = ledger.load(system.url, new AbortController().signal, COUNT)
  for (const [at, name] of ['store', 'send'].entries()) {
    await until(
      () => ledger.accepted.size,
      (accepted) => accepted > (at + 1) * 50,
    )
    const restarted = threads.next(name)
    await threads.get(name)?.terminate()
    await restarted
  }
  await load
  await ledger.audit(system.url, providers)
  await until(
    async () => (await fetch(`${system.url}/readyz`)).status,
    (status) => status === 200,
  )
})
