import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditedProvider } from '../harness/audit/audited-provider.ts'
import { Ledger } from '../harness/audit/ledger.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { recordsOf, skip, startCluster, type TestReplica } from './cluster.ts'
import { watchSilence } from './watch-silence.ts'

const LEASE_MS = 2_000
const DELIVERY = {
  attempts: 1000,
  backoff: { initial: '20ms', max: '200ms' },
  // So that a hand-over that waits for what is on the wire does not come.
  timeout: '10m',
  circuit: { failures: 1_000_000 },
}

test('a provider that hangs does not keep the next leader from sending', {
  skip,
}, async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const [hanging, healthy] = [auditedProvider(chat), auditedProvider(flow)]
  const answers = chat.script
  const cluster = await startCluster(t, { leaseMs: LEASE_MS, config: { alert, delivery: DELIVERY } })
  const [first, second] = cluster.replicas
  assert.ok(first && second)
  const ledger = new Ledger(1)
  const end = new AbortController()
  const posting = cluster.replicas.map(({ url }) => ledger.load(url, end.signal, Number.POSITIVE_INFINITY))
  const more = (provider: typeof healthy, count: number) => {
    const { requests } = provider
    return until(
      () => provider.requests,
      (now) => now >= requests + count,
    )
  }
  /** Resolves with the longest time for which the healthy channel got nothing. */
  const restarted = async (replica: TestReplica): Promise<number> => {
    assert.equal(await cluster.leader(), replica)
    const silent = watchSilence(healthy)
    await replica.end('SIGTERM')
    await cluster.nextLeader(replica)
    await more(healthy, 20)
    const longest = silent.end()
    await replica.start()
    return longest
  }
  await more(healthy, 20)
  const calmMs = await restarted(first)
  let hung = 0
  chat.script = () => {
    hung++
    return { hang: true }
  }
  await until(() => hung > 0)
  const hungMs = await restarted(second)
  end.abort()
  await Promise.all(posting)
  chat.script = answers
  // The next leader sends what hangs again.
  const last = await cluster.nextLeader()
  await last.end('SIGTERM')
  await last.start()
  const rounded = [calmMs, hungMs].map(Math.round)
  t.diagnostic(
    `lease ${LEASE_MS} ms; the healthy channel was silent for ${rounded[0]} ms, with the hanging one ${rounded[1]} ms`,
  )
  await ledger.audit(first.url, [hanging, healthy], recordsOf(cluster))
})
