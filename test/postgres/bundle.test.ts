import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleService, ROOT } from '../../src/bundle/bundle.ts'
import { auditedProvider } from '../harness/audit/audited-provider.ts'
import { Ledger } from '../harness/audit/ledger.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { startProcess } from '../harness/process.ts'
import { twoChannels } from '../harness/providers.ts'
import { sharedServer } from './settings.ts'

test('a bundled service accepts into PostgreSQL and delivers from it', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const bundle = join(ROOT, `dist/test-${process.pid}`)
  t.after(() => rmSync(bundle, { recursive: true, force: true }))
  await bundleService(bundle)
  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const storage = { type: 'postgres', postgres: { url: await server.database() } }
  const file = configFile(folder(), { alert, storage, log: { level: 'info' } })
  // Without type stripping a thread that would run a source does not start.
  const env = { NODE_OPTIONS: '--no-experimental-strip-types' }
  const { url } = await startProcess(t, file, env, join(bundle, 'main.js'))
  const ledger = new Ledger()
  await ledger.load(url, new AbortController().signal, 40)
  await ledger.audit(url, providers)
})
