import { readdirSync, readFileSync } from 'node:fs'
import { freePort } from '../../test/harness/net/port.ts'
import type { PostgresServer } from '../../test/harness/postgres.ts'
import { askAdmin } from './admin.ts'
import type { Server } from './server.ts'
import { startService } from './start.ts'

/** One of several services on a database. */
export interface Replica extends Server {
  readonly name: string
  /** Asks an operator's route, as `askAdmin`. */
  admin<T>(path: string): Promise<T>
  /** Ends it at once. */
  kill(): void
}

interface ReplicaConfig {
  readonly storage: object
  readonly [section: string]: unknown
}

/** Starts replicas that know each other's addresses, one after another: the first one leads. */
export async function startReplicas(config: ReplicaConfig, count: number): Promise<Replica[]> {
  const replicas: Replica[] = []
  for (let nth = 1; nth <= count; nth++) {
    const port = await freePort()
    const name = `replica-${nth}`
    const service = await startService({ ...config, port, replica: { name, address: `http://127.0.0.1:${port}` } })
    replicas.push({
      ...service,
      name,
      admin: (path) => askAdmin(service, path),
      kill: () => void process.kill(service.pid, 'SIGKILL'),
    })
  }
  return replicas
}

const TICKS_PER_SECOND = 100

/** CPU seconds of all processes of the database server so far, those that ended included. */
export async function engineCpuSeconds(server: PostgresServer): Promise<number> {
  const [row] = await server.sql("SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid")
  const postmaster = Number(row?.pid)
  const times = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
  const ticks = times.map(({ pid, parent, own, ended }) =>
    pid === postmaster ? own + ended : parent === postmaster ? own : 0,
  )
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND
}

/** CPU ticks of a process, and of its children that ended; zeros when it has ended. */
function timesOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (field: number) => fields[field - 3] ?? 0
    return { pid, parent: at(4), own: at(14) + at(15), ended: at(16) + at(17) }
  } catch {
    return { pid, parent: 0, own: 0, ended: 0 }
  }
}
