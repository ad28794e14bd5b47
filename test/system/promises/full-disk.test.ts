import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { auditedProvider } from '../../harness/audit/audited-provider.ts'
import { Ledger } from '../../harness/audit/ledger.ts'
import { configFile } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { startProcess } from '../../harness/process.ts'
import { twoChannels } from '../../harness/providers.ts'
import { until } from '../../harness/until.ts'
import { onSmallVolume } from '../../harness/volume.ts'

test('a full disk is answered 503, and the service continues when there is room again', async (t) => {
  const dir = onSmallVolume(t)
  if (dir === undefined) return
  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const ballast = join(dir, 'data', 'ballast')
  const { url } = await startProcess(t, configFile(dir, { alert, log: { level: 'info' } }))
  const ledger = new Ledger()
  const forever = new AbortController().signal
  await ledger.load(url, forever, 50)
  writeFileSync(ballast, Buffer.alloc(48 * 1024 * 1024))
  for (const size of [500_000, 20_000]) {
    const fill = async () => {
      const answer = await post(url, { pad: 'x'.repeat(size) })
      return [answer.status, await answer.json()]
    }
    const refused = await until(fill, ([status]) => status !== 201)
    assert.deepEqual(refused, [503, { error: 'the disk is full' }])
  }
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  rmSync(ballast)
  await until(async () => (await fetch(`${url}/readyz`)).status === 200)
  await ledger.load(url, forever, 50)
  await ledger.audit(url, providers)
})
