import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type AuditedProvider, auditedProvider } from '../harness/audit/audited-provider.ts'
import { Ledger } from '../harness/audit/ledger.ts'
import { post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { recordsOf, skip, startCluster, type TestCluster } from './cluster.ts'
import { silentProxy } from './silent-proxy.ts'

/** For each replica. */
const POSTERS = 2

async function setup(t: TestContext, options: Omit<Parameters<typeof startCluster>[1], 'config'> = {}) {
  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const cluster = await startCluster(t, { ...options, config: { alert } })
  return { cluster, providers, ledger: new Ledger(POSTERS) }
}

interface Load {
  readonly cluster: TestCluster
  readonly ledger: Ledger
  readonly providers: readonly AuditedProvider[]
}

/** Posts to all replicas while `happens`, and goes on until more is accepted after it. */
async function underLoad({ cluster, ledger }: Load, happens: () => Promise<void>): Promise<void> {
  const end = new AbortController()
  const posting = cluster.replicas.map(({ url }) => ledger.load(url, end.signal, 100_000))
  await accepted(ledger, 50)
  await happens()
  await accepted(ledger, ledger.accepted.size + 50)
  end.abort()
  await Promise.all(posting)
}

const accepted = (ledger: Ledger, count: number) =>
  until(
    () => ledger.accepted.size,
    (size) => size >= count,
  )

/** Everything accepted is on record once and arrived; what arrived twice is marked. */
async function audit(t: TestContext, { cluster, ledger, providers }: Load): Promise<number> {
  const leader = await cluster.nextLeader()
  const { accepted: count, again, duplicates } = await ledger.audit(leader.url, providers, recordsOf(cluster))
  t.diagnostic(`${count} accepted, none lost; ${again} posted again; ${duplicates} arrived twice, all marked`)
  return duplicates
}

test('the leader is killed: nothing is lost, and another replica goes on', { skip }, async (t) => {
  const load = await setup(t)
  const { cluster } = load
  await underLoad(load, async () => {
    const leader = await cluster.nextLeader()
    await leader.end('SIGKILL')
    await cluster.nextLeader(leader)
    await leader.start()
  })
  await audit(t, load)
})

test('the leader stands still for longer than its lease and goes on: it sends nothing any more', {
  skip,
}, async (t) => {
  const load = await setup(t)
  const { cluster } = load
  await underLoad(load, async () => {
    const leader = await cluster.nextLeader()
    leader.child.kill('SIGSTOP')
    await cluster.nextLeader(leader)
    leader.child.kill('SIGCONT')
    await until(() => leader.output().includes('another replica leads'))
  })
  await audit(t, load)
})

test('a rolling restart refuses nothing on the others and marks nothing', { skip }, async (t) => {
  const load = await setup(t, { replicas: 3 })
  const { cluster, ledger } = load
  const statuses = new Map<number, number>()
  await underLoad(load, async () => {
    for (const replica of cluster.replicas) {
      const others = cluster.replicas.filter((each) => each !== replica)
      const end = new AbortController()
      const watching = others.map(({ url }) => countStatuses(url, statuses, end.signal))
      await replica.end('SIGTERM')
      await cluster.nextLeader(replica)
      await replica.start()
      await accepted(ledger, ledger.accepted.size + 50)
      end.abort()
      await Promise.all(watching)
    }
  })
  assert.deepEqual([...statuses.keys()], [201])
  assert.equal(await audit(t, load), 0)
})

async function countStatuses(url: string, statuses: Map<number, number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await post(url, { title: 'probe', ServiceName: 'probe', Logs: 'probe' })
    await answer.arrayBuffer()
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }
}

test('the server crashes and comes back: nothing is lost, and no replica is restarted', { skip }, async (t) => {
  const load = await setup(t, { ownServer: true })
  const { cluster } = load
  await underLoad(load, async () => {
    await cluster.server.crash()
    for (const replica of cluster.replicas) {
      await until(replica.isReady, (ready) => !ready)
      assert.equal((await fetch(`${replica.url}/healthz`)).status, 200)
    }
    await cluster.server.start()
    for (const replica of cluster.replicas) await until(replica.isReady, (ready) => ready)
  })
  await audit(t, load)
  for (const { child } of cluster.replicas) assert.deepEqual([child.exitCode, child.signalCode], [null, null])
})

test('the leader is cut off from the server: it stops, another leads, and it comes back', { skip }, async (t) => {
  let silence = (_is: boolean) => {}
  const load = await setup(t, {
    async databaseOf(url, nth) {
      if (nth > 0) return url
      const proxy = await silentProxy(t, Number(new URL(url).port))
      silence = proxy.silence
      return url.replace(`:${new URL(url).port}/`, `:${proxy.port}/`)
    },
  })
  const { cluster } = load
  await underLoad(load, async () => {
    const cutOff = await cluster.nextLeader()
    assert.equal(cutOff, cluster.replicas[0])
    silence(true)
    await cluster.nextLeader(cutOff)
    await until(cutOff.isReady, (ready) => !ready)
    silence(false)
    await until(cutOff.isReady, (ready) => ready)
  })
  await audit(t, load)
})

test('the leader and a follower reload their configuration, each in its role', { skip }, async (t) => {
  const load = await setup(t)
  const { cluster, ledger } = load
  const leader = await cluster.nextLeader()
  await underLoad(load, async () => {
    for (const { child, output } of cluster.replicas) {
      child.kill('SIGHUP')
      await until(output, (text) => text.includes('the configuration was reloaded'))
    }
    await accepted(ledger, ledger.accepted.size + 50)
  })
  assert.equal(await cluster.leader(), leader)
  assert.deepEqual(
    cluster.replicas.map(({ output }) => output().match(/this replica leads/g)?.length ?? 0),
    [1, 0],
  )
  assert.equal(await audit(t, load), 0)
})
