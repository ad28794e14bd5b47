import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditedProvider } from '../harness/audit/audited-provider.ts'
import { Ledger } from '../harness/audit/ledger.ts'
import { post } from '../harness/net/requests.ts'
import { newPostgresServer } from '../harness/postgres.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { skip, startCluster } from './cluster.ts'

const LOAD = 100

test('a standby without the last commits takes over: what is accepted from then on arrives', { skip }, async (t) => {
  const primary = await newPostgresServer()
  if ('missing' in primary) return t.skip(primary.missing)
  t.after(() => primary.stop())
  if (primary.noStandby) return t.skip(primary.noStandby)
  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  let standby: Awaited<ReturnType<typeof primary.standby>> | undefined
  const { replicas } = await startCluster(t, {
    server: primary,
    config: { alert },
    async databaseOf(url) {
      standby ??= await primary.standby('second')
      return url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`)
    },
  })
  if (standby === undefined) throw new Error('there is no standby')
  const second = standby
  t.after(() => second.crash())
  const accept = async () => {
    for (let n = 0; n < LOAD; n++)
      for (const { url } of replicas)
        assert.equal((await post(url, { title: 'before', ServiceName: 'before', Logs: 'x' })).status, 201)
  }
  await accept()
  // What the standby does not get is lost with the primary.
  await second.configure({ primary_conninfo: "''" })
  await until(async () => (await second.sql('SELECT 1 FROM pg_stat_wal_receiver')).length === 0)
  await accept()
  await primary.kill()
  await second.promote()
  for (const { isReady } of replicas) await until(isReady, (ready) => ready)
  const ledger = new Ledger(2)
  await Promise.all(replicas.map(({ url }) => ledger.load(url, new AbortController().signal, LOAD)))
  await ledger.audit(replicas[0]?.url ?? '', providers)
})
