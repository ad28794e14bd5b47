import { LRUCache } from 'lru-cache'
import type { Status } from '../../domain/incident.ts'
import { neverResolves, type Problem } from '../../policy/problem.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Parameter } from '../engine/sql.ts'
import { command, query, queryList } from '../engine/statement.ts'

/** Numbers on disk. */
export const PROBLEM_STATE = { firing: 0, resolved: 1 } as const satisfies Record<Status, number>
const STATES = ['firing', 'resolved'] as const satisfies readonly Status[]

export interface ProblemRow
  extends Pick<Problem, 'since' | 'firing' | 'level' | 'title' | 'service' | 'severity' | 'sender' | 'source'> {
  readonly id: number
  readonly fingerprint: string
  readonly state: number
  readonly brief: number
  readonly last_at: number
  readonly opened_at: number
  readonly first_at: number
  readonly firing_total: number
  readonly resolved_total: number
  readonly ended_by: Problem['endedBy']
  readonly resolved_by: string | null
  readonly sender_ended_at: number | null
  readonly acked_at: number | null
  readonly acked_by: string | null
  readonly flap_score: number
  readonly flap_at: number
  readonly members: string | null
  readonly last_incident: number
  readonly last_id: string
}

/** Values of the columns that change, by name. */
const CHANGING = {
  state: ({ state }) => PROBLEM_STATE[state],
  brief: (problem) => (neverResolves(problem) ? 1 : 0),
  last_at: ({ lastAt }) => lastAt,
  since: ({ since }) => since,
  opened_at: ({ openedAt }) => openedAt,
  firing: ({ firing }) => firing,
  firing_total: ({ firingTotal }) => firingTotal,
  resolved_total: ({ resolvedTotal }) => resolvedTotal,
  level: ({ level }) => level,
  ended_by: ({ endedBy }) => endedBy,
  resolved_by: ({ resolvedBy }) => resolvedBy,
  sender_ended_at: ({ senderEndedAt }) => senderEndedAt,
  acked_at: ({ ackedAt }) => ackedAt,
  acked_by: ({ ackedBy }) => ackedBy,
  flap_score: ({ flapScore }) => flapScore,
  flap_at: ({ flapAt }) => flapAt,
  members: ({ members }) => members && JSON.stringify(members),
  title: ({ title }) => title,
  service: ({ service }) => service,
  severity: ({ severity }) => severity,
  sender: ({ sender }) => sender,
  source: ({ source }) => source,
  last_incident: ({ lastIncident }) => lastIncident,
  last_id: ({ lastId }) => lastId,
} as const satisfies { readonly [column in keyof ProblemRow]?: (problem: Problem) => Parameter }
const NAMES = Object.keys(CHANGING)
const READERS = Object.values(CHANGING)

/** Problems that are kept in memory: those of the last turns. */
const CACHED = 4_096

/** `id`: number on disk; undefined until it is written. */
interface Stored {
  /** Undefined: it is not on disk. */
  readonly id: number | undefined
  problem: Problem
  /** As the disk has it. */
  readonly wasFiring: boolean
}

/** Problems in memory and on disk. A turn changes them in memory, and writes each once. Inside `write`. */
export type ProblemRows = ReturnType<typeof openProblemRows>

export function openProblemRows({ db, counts }: Pick<StoreContext, 'db' | 'counts'>) {
  const one = query<ProblemRow>(db, 'SELECT * FROM problems WHERE fingerprint = ?')
  const some = queryList<ProblemRow>(db, (places) => `SELECT * FROM problems WHERE fingerprint IN (${places})`)
  const inserted = [...NAMES, 'first_at', 'fingerprint', 'id']
  const insert = command(db, `INSERT INTO problems (${inserted}) VALUES (${inserted.map(() => '?')})`)
  const last = query<{ id: number }>(db, 'SELECT coalesce(max(id), 0) AS id FROM problems')
  const update = command(db, `UPDATE problems SET ${NAMES.map((name) => `${name} = ?`)} WHERE id = ?`)
  const cache = new LRUCache<string, Stored>({ max: CACHED })
  const changed = new Map<string, Stored>()
  /** Fingerprints that `prefetch` did not find. */
  let absent = new Set<string>()
  /** Highest number on disk; undefined: not read yet. */
  let lastId: number | undefined

  function find(fingerprint: string): Stored | undefined {
    const known = changed.get(fingerprint) ?? cache.get(fingerprint)
    if (known !== undefined) return known
    const row = absent.has(fingerprint) ? undefined : one.get(fingerprint)
    return row && keep(row)
  }

  function keep(row: ProblemRow): Stored {
    const problem = problemOf(row)
    const read = { id: row.id, problem, wasFiring: problem.state === 'firing' }
    cache.set(row.fingerprint, read)
    return read
  }

  function nextId(): number {
    lastId = (lastId ?? last.get()?.id ?? 0) + 1
    return lastId
  }

  function write(fingerprint: string, { id: known, problem, wasFiring }: Stored): void {
    const values = valuesOf(problem)
    const id = known ?? nextId()
    if (known === undefined) {
      insert.run(...values, problem.firstAt, fingerprint, id)
      counts.problems.stored++
    } else update.run(...values, id)
    const isFiring = problem.state === 'firing'
    counts.problems.firing += Number(isFiring) - Number(wasFiring)
    cache.set(fingerprint, { id, problem, wasFiring: isFiring })
    absent.delete(fingerprint)
  }

  return {
    /** Returns a problem as the transaction has it so far. */
    find: (fingerprint: string): Problem | undefined => find(fingerprint)?.problem,
    /** Reads the problems of a turn together, where a statement costs a round trip. */
    prefetch(fingerprints: readonly string[]): void {
      absent = new Set(fingerprints.filter((each) => !changed.has(each) && !cache.has(each)))
      for (const row of some([...absent])) {
        keep(row)
        absent.delete(row.fingerprint)
      }
    },
    /** Changes a problem that `find` returned, or adds one. */
    set(fingerprint: string, problem: Problem): void {
      const unwritten = changed.get(fingerprint)
      if (unwritten !== undefined) {
        unwritten.problem = problem
        return
      }
      const known = cache.get(fingerprint)
      changed.set(fingerprint, { id: known?.id, problem, wasFiring: known?.wasFiring ?? false })
    },
    /** Returns the number of problems that `flush` will write. */
    changed: (): number => changed.size,
    /** Writes what changed. */
    flush(): void {
      for (const [fingerprint, each] of changed) write(fingerprint, each)
      changed.clear()
    },
    /** Forgets all, after a transaction that failed, or when rows were changed by other means. */
    clear(): void {
      cache.clear()
      changed.clear()
      absent = new Set()
      lastId = undefined
    },
    /** Forgets rows that were deleted; what is not written of them is written as new ones. */
    deleted(ids: readonly number[]): void {
      cache.clear()
      const gone = new Set(ids)
      for (const each of changed.values())
        if (each.id !== undefined && gone.has(each.id)) Object.assign(each, { id: undefined, wasFiring: false })
    },
  }
}

const valuesOf = (problem: Problem): Parameter[] => READERS.map((read) => read(problem))

export function problemOf(row: ProblemRow): Problem {
  return {
    fingerprint: row.fingerprint,
    state: STATES[row.state] ?? 'firing',
    since: row.since,
    openedAt: row.opened_at,
    firstAt: row.first_at,
    lastAt: row.last_at,
    firing: row.firing,
    firingTotal: row.firing_total,
    resolvedTotal: row.resolved_total,
    level: row.level,
    endedBy: row.ended_by,
    resolvedBy: row.resolved_by,
    senderEndedAt: row.sender_ended_at,
    ackedAt: row.acked_at,
    ackedBy: row.acked_by,
    flapScore: row.flap_score,
    flapAt: row.flap_at,
    members: row.members === null ? null : JSON.parse(row.members),
    title: row.title,
    service: row.service,
    severity: row.severity,
    sender: row.sender,
    source: row.source,
    lastIncident: row.last_incident,
    lastId: row.last_id,
  }
}
