import type { Reason } from '../../domain/heartbeat.ts'
import type { Heartbeat } from '../engine/counts.ts'
import type { Sql } from '../engine/sql.ts'
import { command, query } from '../engine/statement.ts'
import { PENDING } from './pending.ts'

interface Row {
  readonly name: string
  readonly heard_at: number | null
  readonly missing_since: number | null
  readonly back: number
  readonly why: number | null
  readonly output: string | null
  readonly started_at: number | null
  readonly run_id: string | null
  readonly last_run_ms: number | null
  readonly judged_through: number | null
  readonly cron: string | null
}

/** Of the incident of a heartbeat that left the configuration, when neither that nor its problem is stored any more. */
const UNKNOWN_SEVERITY = 'critical'
const OVERRUN = -1

const COLUMNS = [
  'name',
  'heard_at',
  'missing_since',
  'back',
  'why',
  'output',
  'started_at',
  'run_id',
  'last_run_ms',
  'judged_through',
  'cron',
] as const satisfies readonly (keyof Row)[]

/** Heartbeats on disk, and the time at which the service was certainly up. */
export function openHeartbeatRows(db: Sql) {
  const [, ...changed] = COLUMNS
  const save = command(
    db,
    `INSERT INTO heartbeats (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
     ON CONFLICT (name) DO UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  )
  const forget = command(db, 'DELETE FROM heartbeats WHERE name = ?')
  const rows = query<Row>(db, `SELECT ${COLUMNS.join(', ')} FROM heartbeats`)
  const severities = ['incidents', 'problems'].map((table) =>
    query<{ severity: string }>(db, `SELECT severity FROM ${table} WHERE source = 'heartbeat' AND service = ? LIMIT 1`),
  )
  const alive = query<{ alive_at: number | null }>(db, 'SELECT alive_at FROM process')
  const setAlive = command(db, 'UPDATE process SET alive_at = ?')
  return {
    save(name: string, heartbeat: Heartbeat): void {
      const { heardAt, missingSince, pending, why, output, startedAt, runId, lastRunMs, judgedThrough, cron } =
        heartbeat
      save.run(
        name,
        heardAt ?? null,
        missingSince ?? null,
        PENDING.indexOf(pending),
        numberOf(why),
        output ?? null,
        startedAt ?? null,
        runId ?? null,
        lastRunMs ?? null,
        judgedThrough,
        cron ?? null,
      )
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

/** Returns what the row says; absent parts are null there. */
function heartbeatOf(row: Row): Partial<Heartbeat> {
  const { heard_at, missing_since, back, output, started_at, run_id, last_run_ms, judged_through, cron } = row
  return {
    pending: PENDING[back] ?? '',
    ...(heard_at !== null && { heardAt: heard_at }),
    ...(missing_since !== null && { missingSince: missing_since, why: reasonOf(row.why) }),
    ...(output !== null && { output }),
    ...(started_at !== null && { startedAt: started_at }),
    ...(run_id !== null && { runId: run_id }),
    ...(last_run_ms !== null && { lastRunMs: last_run_ms }),
    ...(judged_through !== null && { judgedThrough: judged_through }),
    ...(cron !== null && { cron }),
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
