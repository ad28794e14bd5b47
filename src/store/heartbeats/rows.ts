import type { Reason } from '../../domain/heartbeat.ts'
import type { Heartbeat } from '../engine/counts.ts'
import type { Statements } from '../engine/statement.ts'
import { PENDING } from './pending.ts'

interface Row {
  readonly [column: string]: string | number | null
  readonly name: string
  readonly back: number
  readonly why: number | null
}

/** Of the incident of a heartbeat that left the configuration, when neither that nor its problem is stored any more. */
const UNKNOWN_SEVERITY = 'critical'
const OVERRUN = -1

/** Columns that hold a property as it is; null: it is absent. */
const PLAIN = {
  heard_at: 'heardAt',
  missing_since: 'missingSince',
  output: 'output',
  started_at: 'startedAt',
  run_id: 'runId',
  last_run_ms: 'lastRunMs',
  judged_through: 'judgedThrough',
  cron: 'cron',
} as const satisfies { readonly [column: string]: keyof Heartbeat }
const PROPERTIES = Object.values(PLAIN)
const CHANGED = ['back', 'why', ...Object.keys(PLAIN)]

/** Heartbeats on disk, and the time at which the service was certainly up. */
export function openHeartbeatRows(db: Statements) {
  const save = db.command(
    `INSERT INTO heartbeats (name, ${CHANGED.join(', ')}) VALUES (?, ${CHANGED.map(() => '?').join(', ')})
     ON CONFLICT (name) DO UPDATE SET ${CHANGED.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  )
  const forget = db.command('DELETE FROM heartbeats WHERE name = ?')
  const rows = db.query<Row>(`SELECT name, ${CHANGED.join(', ')} FROM heartbeats`)
  const severities = ['incidents', 'problems'].map((table) =>
    db.query<{ severity: string }>(`SELECT severity FROM ${table} WHERE source = 'heartbeat' AND service = ? LIMIT 1`),
  )
  const alive = db.query<{ alive_at: number | null }>('SELECT alive_at FROM process')
  const setAlive = db.command('UPDATE process SET alive_at = ?')
  return {
    save(name: string, heartbeat: Heartbeat): void {
      const { pending, why } = heartbeat
      const plain = PROPERTIES.map((property) => heartbeat[property] ?? null)
      save.run(name, PENDING.indexOf(pending), numberOf(why), ...plain)
    },
    forget: (name: string): void => forget.run(name),
    /** By name. */
    read: () => new Map(rows.all().map((row) => [row.name, heartbeatOf(row)])),
    severityOf: (name: string): string =>
      severities.map((of) => of.get(name)?.severity).find(Boolean) ?? UNKNOWN_SEVERITY,
    /** Epoch milliseconds; undefined: never written. */
    aliveAt: (): number | undefined => alive.get()?.alive_at ?? undefined,
    setAlive: (at: number): void => setAlive.run(at),
  }
}

function heartbeatOf(row: Row): Partial<Heartbeat> {
  const plain = Object.entries(PLAIN).map(([column, property]) => [property, row[column]] as const)
  return {
    pending: PENDING[row.back] ?? '',
    ...(row.missing_since !== null && { why: reasonOf(row.why) }),
    ...Object.fromEntries(plain.filter(([, value]) => value !== null)),
  }
}

function numberOf(why: Reason | undefined): number | null {
  if (why === undefined || why.kind === 'silence') return null
  return why.kind === 'overrun' ? OVERRUN : (why.exitStatus ?? 0)
}

function reasonOf(why: number | null): Reason {
  if (why === null) return { kind: 'silence' }
  if (why === OVERRUN) return { kind: 'overrun' }
  return { kind: 'failure', ...(why > 0 && { exitStatus: why }) }
}
