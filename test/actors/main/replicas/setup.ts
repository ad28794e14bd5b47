import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { serveReplica } from '../../../../actors/main/replicas/serve.ts'
import type { Cluster, Leader, Replica } from '../../../../src/cluster/contract.ts'
import { LoginThrottle } from '../../../../src/http/auth.ts'
import type { AdminRoute, PublicRoute } from '../../../../src/http/contract.ts'
import { createFront } from '../../../../src/http/front.ts'
import { Tickets } from '../../../../src/http/tickets.ts'
import { Hub } from '../../../../src/tail/hub.ts'
import { memoryLog } from '../../../harness/system.ts'
import { SECRET, TARGETS } from '../../../http/harness.ts'

/** A cluster that a test changes by hand. */
class FakeCluster implements Cluster {
  #leader: Leader | undefined
  readonly #watchers: (() => void)[] = []
  rows: Replica[] = []

  leader(): Leader | undefined {
    return this.#leader
  }
  watch(changed: () => void): void {
    this.#watchers.push(changed)
  }
  replicas(): readonly Replica[] {
    return this.rows
  }
  status() {
    return {
      ...{ replicas: 1, leads: false, leaseLeftMs: 0, takeovers: 0, beatsFailed: 0 },
      ...{ clockOffsetMs: 0, storeUp: true, synchronous: false },
    }
  }
  set(leader: Leader | undefined): void {
    this.#leader = leader
    for (const changed of this.#watchers) changed()
  }
}

interface ReplicaOptions {
  readonly admin?: readonly AdminRoute[]
  readonly publicRoutes?: readonly PublicRoute[]
  readonly gatewaySecret?: string
}

/** Starts the front of one replica: its routes, its live tail and its tickets, over a cluster made by hand. */
export async function startReplica(t: TestContext, name: string, options: ReplicaOptions = {}) {
  const { admin = [], publicRoutes = [], gatewaySecret = SECRET } = options
  const cluster = new FakeCluster()
  const hub = new Hub({
    publish: (topic, text) => front.publish(topic, text),
    filtersChanged() {},
    startedAt: Date.now(),
    now: () => performance.now(),
  })
  const log = memoryLog()
  const tickets = new Tickets(() => performance.now())
  const throttle = new LoginThrottle(() => performance.now())
  const own = { admin, publicRoutes, ready: async () => [], tail: hub, tickets, throttle }
  const { services, close } = serveReplica(own, { cluster, log, gatewaySecret: () => gatewaySecret })
  const front = createFront({
    ...services,
    maxBodyBytes: 1024 * 1024,
    intakeToken: '',
    gatewaySecret,
    parameters: { targets: TARGETS, pager: 'pagerduty', strict: false },
    submit: () => 'ingest_full',
    log,
  })
  const port = await front.listen('127.0.0.1', 0)
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    await close()
    await front.close()
  }
  t.after(stop)
  return { name, cluster, hub, url, log, stop }
}

type Started = Awaited<ReturnType<typeof startReplica>>

/** Makes one of the replicas the leader in the eyes of all. */
export function lead(leader: Started, ...others: readonly Started[]): void {
  const { name, url: address } = leader
  for (const each of others) each.cluster.set({ name, address, self: false })
  leader.cluster.set({ name, address, self: true })
}

/** Asks with the gateway secret. */
export async function ask(url: string, path: string, init: RequestInit = {}) {
  const headers = { 'X-Gateway-Secret': SECRET, ...init.headers }
  const response = await fetch(url + path, { ...init, headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
}

/** Starts any other server in the place of a replica. Returns its address. */
export async function startServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
