import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { configFile, folder, type Overrides } from '../harness/config-file.ts'
import { freePort } from '../harness/net/port.ts'
import { newPostgresServer, type PostgresServer, postgresServer } from '../harness/postgres.ts'
import { spawnService } from '../harness/process.ts'
import { until } from '../harness/until.ts'

/** One replica, which is killed and started again at the same address. */
export interface TestReplica {
  readonly name: string
  readonly url: string
  readonly child: ChildProcess
  /** All that its processes printed. */
  output(): string
  /** Resolves when it serves. */
  start(): Promise<void>
  /** Resolves when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  isReady(): Promise<boolean>
  /** Writes its configuration anew, with these sections in place of those of before; it is read at a start or a reload. */
  configure(changed: Overrides): void
}

export interface TestCluster {
  readonly server: PostgresServer
  readonly database: string
  readonly leaseMs: number
  readonly replicas: readonly TestReplica[]
  /** Returns the replica that holds the lease, as the database says. */
  leader(): Promise<TestReplica | undefined>
  /** Resolves with the leader once another than `before` leads. */
  nextLeader(before?: TestReplica): Promise<TestReplica>
}

/** Returns a function that counts the incidents with a title on record. They are read once, at its first call. */
export function recordsOf({ server, database }: TestCluster): (title: string) => Promise<number> {
  const read = async () => {
    const rows = await server.sql('SELECT title, count(*)::int AS records FROM tocsin.incidents GROUP BY 1', database)
    return new Map(rows.map(({ title, records }) => [title, Number(records)]))
  }
  let counts: ReturnType<typeof read> | undefined
  return async (title) => {
    counts ??= read()
    return (await counts).get(title) ?? 0
  }
}

interface ClusterOptions {
  readonly replicas?: number
  readonly leaseMs?: number
  /** The test stops the server or changes its settings. */
  readonly ownServer?: boolean
  /** Absent: that of `ownServer`. */
  readonly server?: PostgresServer
  /** Returns the URL of the database for a replica, by its index. */
  databaseOf?(url: string, nth: number): Promise<string> | string
  readonly config: Overrides
  /** Returns the address that a replica tells the others. Absent: where it listens. */
  addressOf?(url: string): string
  /** Environment of one replica, by its index. */
  envOf?(nth: number): NodeJS.ProcessEnv
}

const shared = await postgresServer()
/** Why no test of a cluster can run; false: it can. */
export const skip = 'missing' in shared ? shared.missing : false

/** Starts replicas that share a new database, one after another, so that the first leads. */
export async function startCluster(t: TestContext, options: ClusterOptions): Promise<TestCluster> {
  const { replicas: count = 2, leaseMs = 2_000, ownServer = false } = options
  const server = options.server ?? (ownServer ? await newPostgresServer() : shared)
  assert.ok(!('missing' in server))
  if (ownServer) t.after(() => server.stop())
  const database = await server.database()
  const replicas: TestReplica[] = []
  for (let nth = 0; nth < count; nth++) {
    const url = (await options.databaseOf?.(database, nth)) ?? database
    const replica = testReplica(t, { nth, url, leaseMs, port: await freePort(), options })
    await replica.start()
    replicas.push(replica)
  }
  const leader = async () => {
    const [row] = await server
      .sql(
        `SELECT r.name FROM tocsin.leases l JOIN tocsin.replicas r ON r.id = l.holder WHERE l.name = 'leader' AND r.lease_until > clock_timestamp()`,
        database,
      )
      .catch(() => [])
    return replicas.find(({ name }) => name === row?.name)
  }
  return {
    server,
    database,
    leaseMs,
    replicas,
    leader,
    nextLeader: async (before) => {
      const next = await until(leader, (found) => found !== undefined && found !== before)
      return next ?? assert.fail()
    },
  }
}

interface ReplicaPlan {
  readonly nth: number
  readonly url: string
  readonly leaseMs: number
  readonly port: number
  readonly options: ClusterOptions
}

function testReplica(t: TestContext, { nth, url: database, leaseMs, port, options }: ReplicaPlan): TestReplica {
  const name = `replica-${nth + 1}`
  const url = `http://127.0.0.1:${port}`
  const dir = folder()
  const configure = (changed: Overrides) =>
    configFile(dir, {
      port,
      log: { level: 'info' },
      ...options.config,
      ...changed,
      storage: {
        type: 'postgres',
        file: { data_dir: `${dir}/data` },
        // More than an hour of a campaign makes: each is asked for at the end.
        postgres: { url: database, lease: `${leaseMs}ms`, commit_timeout: '5s', max_incidents: 1_000_000 },
      },
      replica: { name, address: options.addressOf?.(url) ?? url },
    })
  const file = configure({})
  const outputs: (() => string)[] = []
  let child: ChildProcess | undefined
  const isReady = async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  }
  return {
    name,
    url,
    get child() {
      return child ?? assert.fail('it was not started')
    },
    output: () => outputs.map((output) => output()).join('\n'),
    async start() {
      const spawned = spawnService(t, file, options.envOf?.(nth))
      child = spawned.child
      outputs.push(spawned.output)
      await spawned.url
      await until(isReady, (ready) => ready)
    },
    async end(signal) {
      assert.ok(child)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
    isReady,
    configure,
  }
}
