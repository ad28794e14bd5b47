import type { Status } from '../../domain/incident.ts'
import { type Problem, QUIET_KINDS, quietKindOf } from '../../policy/problem.ts'
import { columnOf, selected } from '../engine/columns.ts'
import type { StoreContext } from '../engine/context.ts'
import { openOverlay, openUndoMap } from '../engine/overlay.ts'
import type { Parameter } from '../engine/sql.ts'

/** Numbers on disk. */
export const PROBLEM_STATE = { firing: 0, resolved: 1 } as const satisfies Record<Status, number>
const STATES = ['firing', 'resolved'] as const satisfies readonly Status[]

/** Fields that never change, and those whose columns have the values as they are. */
const KEY = ['firstAt', 'fingerprint', 'id'] as const
const PLAIN = [
  ...(['lastAt', 'since', 'openedAt', 'opening', 'firing', 'firingTotal', 'resolvedTotal', 'level'] as const),
  ...(['endedBy', 'resolvedBy', 'senderEndedAt', 'ackedAt', 'ackedBy', 'ackedUntil', 'flapScore', 'flapAt'] as const),
  ...(['title', 'service', 'severity', 'sender', 'source', 'lastIncident', 'lastId'] as const),
] satisfies readonly (keyof Problem)[]
const OTHERS = ['state', 'brief', 'members', 'flapSince', 'flapOverAt', 'flapLevel', 'flapMembers'] as const

export interface ProblemRow extends Pick<Problem, (typeof KEY)[number] | (typeof PLAIN)[number]> {
  readonly state: number
  readonly brief: number
  readonly members: string | null
  readonly flapSince: number | null
  readonly flapOverAt: number | null
  readonly flapLevel: number | null
  readonly flapMembers: string | null
}

/** Columns of a `ProblemRow`, for a SELECT. */
export const PROBLEM_COLUMNS = selected([...KEY, ...PLAIN, ...OTHERS])
const NAMES = [...PLAIN, ...OTHERS].map(columnOf)
const briefOf = (problem: Problem) => QUIET_KINDS.indexOf(quietKindOf(problem))
const jsonOf = (members: Problem['members']) => members && JSON.stringify(members)

/** Keeps each time that a problem fired. Inside `write`. */
export interface ProblemHistory {
  /** A problem is written. `disk`: as the disk has it; undefined: it is a new one. */
  wrote(problem: Problem, disk: Problem | undefined): void
  /** Retention deletes problems that fire. */
  forgotten(fingerprints: readonly string[]): void
}

/** Problems that are kept in memory: those of the last turns. */
const CACHED = 4_096

/**
 * Problems by number, in memory and on disk, and the numbers of all by fingerprint. A turn changes them in memory, and
 * writes each once. Inside `write`.
 */
export type ProblemRows = ReturnType<typeof openProblemRows>

export function openProblemRows({ db, counts, caches }: StoreContext, openings?: ProblemHistory) {
  const one = db.query<ProblemRow>(`SELECT ${PROBLEM_COLUMNS} FROM problems WHERE id = ?`)
  const some = db.queryList<ProblemRow>((places) => `SELECT ${PROBLEM_COLUMNS} FROM problems WHERE id IN (${places})`)
  const all = db.query<Pick<ProblemRow, 'id' | 'fingerprint'>>('SELECT id, fingerprint FROM problems')
  const inserted = [...NAMES, ...KEY.map(columnOf)]
  const insert = db.command(`INSERT INTO problems (${inserted}) VALUES (${inserted.map(() => '?')})`)
  const insertFirst = db.command(
    `INSERT INTO problems (id, last_incident, opening, fingerprint, brief, last_at, since, opened_at, first_at, flap_at, level, members,
       title, service, severity, sender, source, last_id)
     VALUES (?1, ?1, ?1, ?2, ?3, ?4, ?4, ?4, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
  )
  const update = db.command(`UPDATE problems SET ${NAMES.map((name) => `${name} = ?`)} WHERE id = ?`)
  const rows = openOverlay<number, Problem>(caches, {
    read(id) {
      const row = one.get(id)
      return row && problemOf(row)
    },
    max: CACHED,
  })
  const numbers = openUndoMap<string, number>(caches)

  function write(problem: Problem, disk: Problem | undefined): void {
    const { id, firstAt, fingerprint, state } = problem
    counts.problems.firing += Number(state === 'firing') - Number(disk?.state === 'firing')
    openings?.wrote(problem, disk)
    if (disk !== undefined) return update.run(...valuesOf(problem), id)
    counts.problems.stored++
    if (isFirst(problem)) writeFirst(problem)
    else insert.run(...valuesOf(problem), firstAt, fingerprint, id)
  }

  /** Most problems have one incident: binding all columns would cost more than the insert. */
  function writeFirst(problem: Problem): void {
    const { id, fingerprint, lastAt, level, title, service, severity, sender, source, lastId } = problem
    insertFirst.run(
      ...([id, fingerprint, briefOf(problem), lastAt, level, jsonOf(problem.members)] as const),
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
  }
}

/** It is as its first incident made it, which fires. */
const isFirst = ({ id, lastIncident, state, ackedAt }: Problem) =>
  id === lastIncident && state === 'firing' && ackedAt === null

const membersOf = (json: string | null): Problem['members'] => (json === null ? null : JSON.parse(json))

function valuesOf(problem: Problem): Parameter[] {
  const { state, members, flap } = problem
  return [
    ...PLAIN.map((field) => problem[field]),
    ...[PROBLEM_STATE[state], briefOf(problem), jsonOf(members)],
    ...(flap === null ? [null, null, null, null] : [flap.since, flap.overAt, flap.level, jsonOf(flap.members)]),
  ]
}

export function problemOf(row: ProblemRow): Problem {
  const {
    state,
    brief: _,
    members,
    flapSince: since,
    flapOverAt: overAt,
    flapLevel: level,
    flapMembers,
    ...plain
  } = row
  const isFlapping = since !== null && overAt !== null && level !== null
  const flap = isFlapping ? { since, overAt, level, members: membersOf(flapMembers) } : null
  return { ...plain, state: STATES[state] ?? 'firing', members: membersOf(members), flap }
}
