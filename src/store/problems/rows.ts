import type { Status } from '../../domain/incident.ts'
import { type Problem, QUIET_KINDS, quietKindOf } from '../../policy/problem.ts'
import type { StoreContext } from '../engine/context.ts'
import { openOverlay, openUndoMap } from '../engine/overlay.ts'
import type { Parameter } from '../engine/sql.ts'
import { command, query, queryList } from '../engine/statement.ts'

/** Numbers on disk. */
export const PROBLEM_STATE = { firing: 0, resolved: 1 } as const satisfies Record<Status, number>
const STATES = ['firing', 'resolved'] as const satisfies readonly Status[]

export interface ProblemRow
  extends Pick<
    Problem,
    'since' | 'opening' | 'firing' | 'level' | 'title' | 'service' | 'severity' | 'sender' | 'source'
  > {
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
  readonly acked_until: number | null
  readonly flap_score: number
  readonly flap_at: number
  readonly flap_since: number | null
  readonly flap_over_at: number | null
  readonly flap_level: number | null
  readonly flap_members: string | null
  readonly members: string | null
  readonly last_incident: number
  readonly last_id: string
}

/** Values of the columns that change, by name. */
const CHANGING = {
  state: ({ state }) => PROBLEM_STATE[state],
  brief: (problem) => QUIET_KINDS.indexOf(quietKindOf(problem)),
  last_at: ({ lastAt }) => lastAt,
  since: ({ since }) => since,
  opened_at: ({ openedAt }) => openedAt,
  opening: ({ opening }) => opening,
  firing: ({ firing }) => firing,
  firing_total: ({ firingTotal }) => firingTotal,
  resolved_total: ({ resolvedTotal }) => resolvedTotal,
  level: ({ level }) => level,
  ended_by: ({ endedBy }) => endedBy,
  resolved_by: ({ resolvedBy }) => resolvedBy,
  sender_ended_at: ({ senderEndedAt }) => senderEndedAt,
  acked_at: ({ ackedAt }) => ackedAt,
  acked_by: ({ ackedBy }) => ackedBy,
  acked_until: ({ ackedUntil }) => ackedUntil,
  flap_score: ({ flapScore }) => flapScore,
  flap_at: ({ flapAt }) => flapAt,
  flap_since: ({ flap }) => flap?.since ?? null,
  flap_over_at: ({ flap }) => flap?.overAt ?? null,
  flap_level: ({ flap }) => flap?.level ?? null,
  flap_members: ({ flap }) => jsonOf(flap?.members ?? null),
  members: ({ members }) => jsonOf(members),
  title: ({ title }) => title,
  service: ({ service }) => service,
  severity: ({ severity }) => severity,
  sender: ({ sender }) => sender,
  source: ({ source }) => source,
  last_incident: ({ lastIncident }) => lastIncident,
  last_id: ({ lastId }) => lastId,
} as const satisfies { readonly [column in keyof ProblemRow]?: (problem: Problem) => Parameter }
const jsonOf = (members: Problem['members']) => members && JSON.stringify(members)
const NAMES = Object.keys(CHANGING)
const READERS = Object.values(CHANGING)

/** Problems that are kept in memory: those of the last turns. */
const CACHED = 4_096

/**
 * Problems by number, in memory and on disk, and the numbers of all by fingerprint. A turn changes them in memory, and
 * writes each once. Inside `write`.
 */
export type ProblemRows = ReturnType<typeof openProblemRows>

export function openProblemRows({ db, counts }: Pick<StoreContext, 'db' | 'counts'>) {
  const one = query<ProblemRow>(db, 'SELECT * FROM problems WHERE id = ?')
  const some = queryList<ProblemRow>(db, (places) => `SELECT * FROM problems WHERE id IN (${places})`)
  const all = query<Pick<ProblemRow, 'id' | 'fingerprint'>>(db, 'SELECT id, fingerprint FROM problems')
  const inserted = [...NAMES, 'first_at', 'fingerprint', 'id']
  const insert = command(db, `INSERT INTO problems (${inserted}) VALUES (${inserted.map(() => '?')})`)
  const insertFirst = command(
    db,
    `INSERT INTO problems (id, last_incident, opening, fingerprint, brief, last_at, since, opened_at, first_at, flap_at, level, members,
       title, service, severity, sender, source, last_id)
     VALUES (?1, ?1, ?1, ?2, ?3, ?4, ?4, ?4, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
  )
  const update = command(db, `UPDATE problems SET ${NAMES.map((name) => `${name} = ?`)} WHERE id = ?`)
  const rows = openOverlay<number, Problem>({
    read(id) {
      const row = one.get(id)
      return row && problemOf(row)
    },
    max: CACHED,
  })
  const numbers = openUndoMap<string, number>()

  function write(problem: Problem, disk: Problem | undefined): void {
    const { id, firstAt, fingerprint, state } = problem
    counts.problems.firing += Number(state === 'firing') - Number(disk?.state === 'firing')
    if (disk !== undefined) return update.run(...valuesOf(problem), id)
    counts.problems.stored++
    if (isFirst(problem)) writeFirst(problem)
    else insert.run(...valuesOf(problem), firstAt, fingerprint, id)
  }

  /** Most problems have one incident: binding all columns would cost more than the insert. */
  function writeFirst(problem: Problem): void {
    const { id, fingerprint, lastAt, level, title, service, severity, sender, source, lastId } = problem
    const { brief, members } = CHANGING
    insertFirst.run(
      ...([id, fingerprint, brief(problem), lastAt, level, members(problem)] as const),
      ...([title, service, severity, sender, source, lastId] as const),
    )
  }

  /** Reads those together that memory does not have. */
  function keep(ids: readonly number[]): void {
    for (const row of some([...new Set(ids)].filter((id) => !rows.has(id)))) rows.keep(row.id, problemOf(row))
  }

  return {
    /** Returns a problem as the transaction has it so far. */
    find(fingerprint: string): Problem | undefined {
      const id = numbers.get(fingerprint)
      return id === undefined ? undefined : rows.find(id)
    },
    numberOf: (fingerprint: string): number | undefined => numbers.get(fingerprint),
    numbered: (id: number): Problem | undefined => rows.find(id),
    /** Reads the problems of a turn together, where a statement costs a round trip. */
    prefetch: (fingerprints: readonly string[]): void => keep(fingerprints.flatMap((each) => numbers.get(each) ?? [])),
    /** Returns those that are stored. */
    list(ids: readonly number[]): Problem[] {
      keep(ids)
      return ids.filter(rows.has).flatMap((id) => rows.find(id) ?? [])
    },
    add(problem: Problem): void {
      rows.add(problem.id, problem)
      numbers.set(problem.fingerprint, problem.id)
    },
    /** Changes a problem that `find` returned. */
    set: (problem: Problem): void => rows.set(problem.id, problem),
    /** Returns the number of problems that `flush` writes, at most. */
    changed: rows.changed,
    /** Writes what changed. */
    flush: (): void => rows.flush(write),
    /** A row was deleted. */
    deleted({ id, fingerprint }: Pick<Problem, 'id' | 'fingerprint'>): void {
      rows.deleted(id)
      numbers.set(fingerprint, undefined)
    },
    /** Rows were changed by other means, after `flush`. */
    forget: rows.forget,
    /** Reads the numbers of all, which retention bounds. */
    load(): void {
      for (const { id, fingerprint } of all.all()) numbers.set(fingerprint, id)
    },
    commit(): void {
      rows.commit()
      numbers.commit()
    },
    rollback(): void {
      rows.rollback()
      numbers.rollback()
    },
  }
}

/** It is as its first incident made it, which fires. */
const isFirst = ({ id, lastIncident, state, ackedAt }: Problem) =>
  id === lastIncident && state === 'firing' && ackedAt === null

const valuesOf = (problem: Problem): Parameter[] => READERS.map((read) => read(problem))

const membersOf = (json: string | null): Problem['members'] => (json === null ? null : JSON.parse(json))

function flapOf({ flap_since: since, flap_over_at: overAt, flap_level: level, flap_members: members }: ProblemRow) {
  if (since === null || overAt === null || level === null) return null
  return { since, overAt, level, members: membersOf(members) }
}

export function problemOf(row: ProblemRow): Problem {
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    state: STATES[row.state] ?? 'firing',
    since: row.since,
    openedAt: row.opened_at,
    opening: row.opening,
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
    ackedUntil: row.acked_until,
    flapScore: row.flap_score,
    flapAt: row.flap_at,
    flap: flapOf(row),
    members: membersOf(row.members),
    title: row.title,
    service: row.service,
    severity: row.severity,
    sender: row.sender,
    source: row.source,
    lastIncident: row.last_incident,
    lastId: row.last_id,
  }
}
