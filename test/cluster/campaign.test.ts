import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type AuditedProvider, auditedProvider } from '../harness/audit/audited-provider.ts'
import { Ledger } from '../harness/audit/ledger.ts'
import { post } from '../harness/net/requests.ts'
import { startStandIn, twoChannels } from '../harness/providers.ts'
import { randomFrom } from '../harness/random.ts'
import { until } from '../harness/until.ts'
import { recordsOf, skip, startCluster, type TestCluster, type TestReplica } from './cluster.ts'
import { type SilentProxy, silentProxy } from './silent-proxy.ts'
import { watchSilence } from './watch-silence.ts'

/** How long faults are injected; starting and settling come on top. */
const SECONDS = Number(process.env.CLUSTER_SECONDS ?? 60)
const SEED = Number(process.env.CLUSTER_SEED ?? 20_261_123)
const LEASE_MS = 2_000
const POSTERS = 1
const PAUSE_MS = 40
/** Incidents that a failing provider may lack, so that the end need not wait for what an hour has left. */
const MOST_BEHIND = 1_000
/** So that every fault meets a cluster that is whole: after a connection, a lease passes before a replica is replaced. */
const BETWEEN_MS = LEASE_MS
/** Every one that a provider answers slowly or not at all is tried again for long. */
const DELIVERY = {
  attempts: 1000,
  backoff: { initial: '20ms', max: '200ms' },
  timeout: '1s',
  circuit: { failures: 1_000_000 },
}

type Fault = 'kill' | 'stop' | 'cut' | 'restart' | 'configuration' | 'crash' | 'postmaster'
const FAULTS: readonly Fault[] = [
  ...(['kill', 'stop', 'cut', 'restart', 'configuration'] as const),
  ...(['kill', 'stop', 'crash', 'postmaster'] as const),
]
/** Faults of the database, during which no channel can go on. */
const OF_DATABASE: readonly Fault[] = ['crash', 'postmaster']

interface Campaign {
  readonly cluster: TestCluster
  readonly proxy: SilentProxy
  random(): number
}

test('whatever fails, all that was accepted arrives, once or marked', {
  skip,
  timeout: (2 * SECONDS + 300) * 1_000,
}, async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const pager = await startStandIn(t, 'webhook')
  const random = randomFrom(SEED)
  const healthy = auditedProvider(flow)
  const providers = [auditedProvider(chat, random), healthy, auditedProvider(pager, random)]
  let proxy: SilentProxy | undefined
  const cluster = await startCluster(t, {
    replicas: 3,
    leaseMs: LEASE_MS,
    ownServer: true,
    config: {
      alert,
      delivery: DELIVERY,
      oncall: { enable: true, wait_minutes: 0.005, provider: 'webhook', webhook: { url: `${pager.url}/page` } },
    },
    async databaseOf(url, nth) {
      if (nth > 0) return url
      const { port } = new URL(url)
      proxy = await silentProxy(t, Number(port))
      return url.replace(`:${port}/`, `:${proxy.port}/`)
    },
  })
  assert.ok(proxy)
  const campaign: Campaign = { cluster, proxy, random }
  const ledger: Ledger = new Ledger(POSTERS, PAUSE_MS, () =>
    providers.some(({ received }) => ledger.accepted.size - received.size > MOST_BEHIND),
  )
  const end = new AbortController()
  t.after(() => end.abort())
  const posting = cluster.replicas.map(({ url }) => ledger.load(url, end.signal, Number.POSITIVE_INFINITY))
  const injected = new Map<Fault, number>()
  const silences: Silence[] = []
  const over = performance.now() + SECONDS * 1_000
  for (let nth = 0; performance.now() < over; nth++) {
    const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'kill'
    injected.set(fault, (injected.get(fault) ?? 0) + 1)
    const silent = watchSilence(healthy)
    try {
      await inject(campaign, fault)
      await settled(campaign, healthy)
    } catch (error) {
      t.diagnostic(`after ${nth} faults, the last one ${fault}: ${await stateOf(cluster)}`)
      throw error
    }
    const longest = silent.end()
    if (!OF_DATABASE.includes(fault)) silences.push({ fault, ms: longest })
    await sameKeyEverywhere(cluster, `key-${nth}`)
    await pause(BETWEEN_MS)
  }
  end.abort()
  await Promise.all(posting)
  for (const provider of providers) provider.heal()
  t.diagnostic(`${SECONDS} s with CLUSTER_SEED=${SEED}: ${JSON.stringify(Object.fromEntries(injected))}`)
  t.diagnostic(`longest silences of a healthy channel, lease ${LEASE_MS} ms: ${worst(silences)} ms`)
  const leader = await cluster.nextLeader()
  const { accepted, again, duplicates } = await ledger.audit(leader.url, providers, recordsOf(cluster))
  const open = await cluster.server.sql(
    'SELECT count(*)::int AS left FROM tocsin.dispatches WHERE state IN (0, 1)',
    cluster.database,
  )
  t.diagnostic(
    `${accepted} accepted, none lost; ${again} posted again, none stored twice; ${duplicates} arrived twice, all marked`,
  )
  assert.equal(open[0]?.left, 0)
  assert.ok(accepted > 0)
})

interface Silence {
  readonly fault: Fault
  readonly ms: number
}

const worst = (silences: readonly Silence[]) =>
  [...silences]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 6)
    .map(({ fault, ms }) => `${fault} ${Math.round(ms)}`)
    .join(', ')

/** Resolves when the fault is over, but for its consequences. */
async function inject(campaign: Campaign, fault: Fault): Promise<void> {
  const { cluster, proxy, random } = campaign
  const { replicas, server } = cluster
  const leader = await cluster.leader()
  const any = replicas[Math.floor(random() * replicas.length)] as TestReplica
  const target = random() < 0.5 && leader !== undefined ? leader : any
  switch (fault) {
    case 'kill':
    case 'restart':
      await target.end(fault === 'kill' ? 'SIGKILL' : 'SIGTERM')
      if (target === leader) await cluster.nextLeader(target)
      return target.start()
    case 'stop':
      target.child.kill('SIGSTOP')
      await pause(LEASE_MS * (0.2 + 1.8 * random()))
      target.child.kill('SIGCONT')
      return
    case 'cut':
      proxy.silence(true)
      await pause(LEASE_MS * (0.5 + 1.5 * random()))
      proxy.silence(false)
      return
    case 'configuration':
      return rollConfiguration(campaign)
    case 'crash':
      await server.crash()
      return server.start()
    case 'postmaster':
      await server.kill()
      return server.start()
    default:
      fault satisfies never
  }
}

/** Gives every replica, one after another, a changed configuration: by a reload or by a restart. */
async function rollConfiguration({ cluster, random }: Campaign): Promise<void> {
  const delivery = { ...DELIVERY, timeout: `${900 + Math.floor(200 * random())}ms` }
  for (const replica of cluster.replicas) {
    replica.configure({ delivery })
    if (random() < 0.5) {
      await replica.end('SIGTERM')
      await replica.start()
      continue
    }
    const reloads = () => replica.output().split('the configuration was reloaded').length
    const before = reloads()
    replica.child.kill('SIGHUP')
    await until(reloads, (now) => now > before)
  }
}

/** All replicas take incidents again, and the healthy channel gets them. */
async function settled({ cluster }: Campaign, healthy: AuditedProvider): Promise<void> {
  for (const { isReady } of cluster.replicas) await until(isReady, (ready) => ready)
  await cluster.nextLeader()
  const { requests } = healthy
  await until(() => healthy.requests > requests)
}

/** Returns what the service and its database say of themselves, and how a post is answered. */
async function stateOf({ replicas, server, database }: TestCluster): Promise<string> {
  const counts =
    'SELECT destination, state, count(*)::int AS n, min(due_at)::text AS due FROM tocsin.dispatches GROUP BY 1, 2'
  const answers = replicas.map(async ({ url }) => {
    const [posted, ready] = await Promise.all([post(url, { title: 'state' }), fetch(`${url}/readyz`)])
    return `${posted.status} ${await posted.text()} ${ready.status} ${await ready.text()}`
  })
  const told = await Promise.allSettled([...answers, server.sql(counts, database)])
  const ended = replicas.flatMap(({ name, child }) => (child.exitCode === null ? [] : [`${name} ended by itself`]))
  return JSON.stringify([
    ...ended,
    ...told.map((each) => (each.status === 'fulfilled' ? each.value : `${each.reason}`)),
  ])
}

/** One key through all replicas at once makes one incident. */
async function sameKeyEverywhere({ replicas }: TestCluster, key: string): Promise<void> {
  const answers = await Promise.all(
    replicas.map(async ({ url }) => {
      const answer = await post(url, { title: key, ServiceName: key, Logs: key }, { 'Idempotency-Key': key })
      await answer.arrayBuffer()
      return { status: answer.status, id: answer.headers.get('x-incident-id') }
    }),
  )
  const taken = answers.filter(({ status }) => status === 201 || status === 200)
  assert.ok(taken.filter(({ status }) => status === 201).length <= 1, JSON.stringify(answers))
  assert.ok(new Set(taken.map(({ id }) => id)).size <= 1, JSON.stringify(answers))
}
