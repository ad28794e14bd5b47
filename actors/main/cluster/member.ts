import { openConnection } from '../../../src/cluster/connection.ts'
import type { Cluster } from '../../../src/cluster/contract.ts'
import { Membership } from '../../../src/cluster/membership.ts'
import { type ServerState, ServerWatch } from '../../../src/cluster/server-watch.ts'
import { createLeaseMemory, SharedLease } from '../../../src/cluster/shared-lease.ts'
import { sinceBootMs, systemClock, type Timer } from '../../../src/kernel/clock.ts'
import type { Supervisor } from '../../../src/kernel/supervision/supervisor.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import type { ClusterSnapshot } from '../../../src/telemetry/snapshot.ts'
import { VERSION } from '../../../src/telemetry/version.ts'
import { errorText } from '../../../src/text/error-text.ts'
import type { PostgresStorage, SystemSettings } from '../../wiring/settings.ts'
import type { MainServices } from '../fronts/request-server.ts'
import { type ReadyCluster, readyCluster } from '../readiness.ts'
import { clusterSnapshot, type FiguresDeps, readFigures } from '../replicas/figures.ts'
import { type ReplicaDeps, serveReplica } from '../replicas/serve.ts'
import { installTables } from './install-tables.ts'
import { Roles, type RolesDeps } from './roles.ts'

export type Member = ReturnType<typeof createMember>

/** Between two reads of the state of the database, while this replica leads. */
const WATCH_MS = 15_000
/** Beats are answered within this share of a lease, or the connection counts as lost. */
const ANSWERED_WITHIN = 0.4

/** Opens this process as one of the replicas that share a database. */
export function createMember(storage: PostgresStorage, replica: SystemSettings['replica'], log: Log) {
  const { postgres } = storage
  const memory = createLeaseMemory()
  const lease = new SharedLease(memory, sinceBootMs)
  let timer: Timer | undefined
  let figures: () => unknown = () => null
  let state: 'joining' | 'beating' | 'left' = 'joining'
  let beating: Promise<void> | undefined
  let server: ServerState = {}
  let watching: Timer | undefined
  const channel = channelOf(postgres.schema)
  const connect = (what: string, timeoutMs: number, woken: () => void) =>
    openConnection(postgres, {
      applicationName: `tocsin ${what} ${replica.name}`.slice(0, 63),
      timeoutMs,
      channel,
      woken,
      elapsed: sinceBootMs,
    })
  const connection = connect('beat', postgres.leaseMs * ANSWERED_WITHIN, () => void beat())
  const membership = new Membership({
    settings: { ...replica, version: VERSION, leaseMs: postgres.leaseMs, channel },
    connection,
    lease,
    report: reports(log),
    elapsed: sinceBootMs,
    wallClock: () => systemClock.now(),
    figures: () => figures(),
  })

  // Apart, because a slow answer of the server's statistics must not hold up a beat.
  const statistics = connect('statistics', postgres.leaseMs, () => {})

  const serverWatch = new ServerWatch(sinceBootMs)
  /** The leader reads for all. Without an answer the state is not known. */
  async function watchServer(): Promise<void> {
    server = membership.isLeader ? await serverWatch.read(statistics).catch(() => ({})) : {}
    if (state === 'beating') watching = systemClock.setTimer(WATCH_MS, () => void watchServer())
  }

  /** Single flight: a notification during a beat tells nothing that the beat does not. */
  function beat(): Promise<void> {
    if (state !== 'beating') return Promise.resolve()
    timer?.cancel()
    beating ??= beatOnce().finally(() => {
      beating = undefined
    })
    return beating
  }

  async function beatOnce(): Promise<void> {
    const dueInMs = await membership.beat()
    if (state === 'beating') timer = systemClock.setTimer(dueInMs, () => void beat())
  }

  const cluster: Cluster = {
    leader: () => membership.leader(),
    replicas: () => membership.replicas(),
    status: () => membership.status(),
    watch: (changed) => membership.watch(changed),
  }

  const member = {
    ...cluster,
    /** For `SharedLease` of the threads. */
    memory: { cluster: memory },
    /** Shows the time of the database. */
    clock: { ...systemClock, now: () => lease.now() },
    /** The term in which this replica leads; undefined when it does not lead. */
    get term() {
      return membership.isLeader ? lease.term : undefined
    },
    /** Returns the services of a replica, made of those of a process that has no others. */
    serve: (own: MainServices, deps: Omit<ReplicaDeps, 'cluster'>) => serveReplica(own, { cluster, ...deps }),
    readiness: (supervisor: Pick<Supervisor, 'states'>): ReadyCluster => readyCluster(member, supervisor),
    /** Returns what starts and ends the threads of the leader. */
    roles: (deps: Omit<RolesDeps, 'member'>): Roles => new Roles({ member, ...deps }),
    snapshot: (): ClusterSnapshot => ({ ...clusterSnapshot(cluster), ...server }),
    /** Returns why this replica cannot commit; undefined when it can. */
    problem(): string | undefined {
      if (membership.trustedForMs <= 0) return 'PostgreSQL (no answer)'
      if (postgres.requireSynchronous && !membership.status().synchronous)
        return 'PostgreSQL (synchronous_standby_names is empty)'
      return undefined
    },
    /** Creates the tables and begins a life. Rejects when the database cannot be reached or may not be used. */
    async join(): Promise<void> {
      installTables(postgres)
      await membership.join()
    },
    /** Goes on beating; each beat tells the other replicas the figures of this one. */
    start(deps: FiguresDeps): void {
      figures = readFigures(deps)
      state = 'beating'
      void beat()
      void watchServer()
    },
    /** Ends the life and gives the lease back. Idempotent. */
    async leave(): Promise<void> {
      if (state === 'left') return
      state = 'left'
      timer?.cancel()
      watching?.cancel()
      await beating
      await Promise.all([membership.leave(), statistics.close()])
    },
  }
  return member
}

const LONGEST_CHANNEL = 63
const channelOf = (schema: string) => `replicas of ${schema}`.slice(0, LONGEST_CHANNEL)

const reports = (log: Log) => ({
  cutOff: (error: unknown) =>
    log.error(
      { error: errorText(error) },
      'PostgreSQL does not answer: incidents are answered 503, and no send begins after the lease',
    ),
  reconnected: () => log.warn({}, 'PostgreSQL answers again'),
  declaredDead: () =>
    log.warn({}, 'this replica did not answer for a whole lease and was replaced; it goes on with a new one'),
  ended: (names: readonly string[]) =>
    log.warn({ names }, 'replicas did not answer for a whole lease: they are replaced'),
  timelineChanged: (before: string, after: string) =>
    log.error(
      { before, after },
      'PostgreSQL failed over to a copy: incidents that were accepted last are lost unless the copy was synchronous',
    ),
  shared: (identity: readonly string[], { name, address }: { readonly name: string; readonly address: string }) =>
    log.warn(
      { name, address },
      `another replica that runs has the same ${identity.map((part) => `replica.${part}`).join(' and ')}: give each its own`,
    ),
  clockSet: (offsetMs: number) =>
    log.warn({ offsetMs: Math.round(offsetMs) }, 'the clock of PostgreSQL or of this machine was set'),
})
