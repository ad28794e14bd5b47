import type { LabelsOf } from '../../policy/fields.ts'
import type { Problem } from '../../policy/problem.ts'
import type { StoreContext } from '../engine/context.ts'
import { PROBLEM_STATE } from '../problems/rows.ts'

/** Settings of the history of problems. */
export interface BriefRules {
  /** Openings that are kept. */
  readonly openings: number
  readonly labelsOf: LabelsOf
}

/** Deleted openings whose numbers wait for `takeDeleted`. */
const MAX_DELETED = 10_000

export type Openings = ReturnType<typeof openOpenings>

/**
 * The openings of problems: one row for each time that one fired, written with the problem. One that begins and ends between
 * two writes of its problem is kept only if it is the last of them.
 */
export function openOpenings({ db, counts, now }: StoreContext, { openings: kept }: BriefRules) {
  const insert = db.command(
    `INSERT INTO openings (id, problem, fingerprint, title, service, level, opened_at, ended_at, ended_by, firing, acked_at, acked_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const update = db.command(
    'UPDATE openings SET ended_at = ?, ended_by = ?, level = ?, firing = ?, acked_at = ?, acked_by = ? WHERE id = ?',
  )
  const endUnseen = db.command('UPDATE openings SET ended_at = ? WHERE id = ? AND ended_at IS NULL')
  const forget = db.commandList(
    (places) => `UPDATE openings SET ended_at = ? WHERE ended_at IS NULL AND fingerprint IN (${places})`,
  )
  const prune = ['WHERE ended_at IS NOT NULL', ''].map((where) =>
    db.query<{ id: number }>(
      `DELETE FROM openings WHERE id IN (SELECT id FROM openings ${where} ORDER BY id LIMIT ?) RETURNING id`,
    ),
  )
  return {
    /** Number of rows written since the opening of the store. */
    written: (): number => counts.problems.openingsWritten,
    wrote(problem: Problem, disk: Problem | undefined): void {
      const { id, opening, fingerprint, title, service, level, openedAt, firing, ackedAt, ackedBy } = problem
      const [endedAt, endedBy] = problem.state === 'resolved' ? [problem.since, problem.endedBy] : [null, null]
      if (disk?.opening === opening) {
        if (isChanged(problem, disk)) update.run(endedAt, endedBy, level, firing, ackedAt, ackedBy, opening)
        return
      }
      if (disk?.state === 'firing') endUnseen.run(openedAt, disk.opening)
      if (firing === 0) return
      insert.run(
        ...([opening, id, fingerprint, title, service, level, openedAt] as const),
        ...([endedAt, endedBy, firing, ackedAt, ackedBy] as const),
      )
      counts.problems.openings++
      counts.problems.openingsWritten++
    },
    forgotten(fingerprints: readonly string[]): void {
      if (fingerprints.length > 0) forget(fingerprints, now())
    },
    /** Counts the rows, and brings them in line with the problems: no history was kept for a while, perhaps. */
    load(): void {
      db.command(
        `UPDATE openings SET ended_by = (SELECT p.ended_by FROM problems p WHERE p.id = openings.problem AND p.opening = openings.id),
           ended_at = coalesce((SELECT CASE WHEN p.opening = openings.id THEN p.since ELSE p.opened_at END FROM problems p WHERE p.id = openings.problem), ?1)
         WHERE ended_at IS NULL AND NOT EXISTS
           (SELECT 1 FROM problems p WHERE p.id = openings.problem AND p.opening = openings.id AND p.state = ${PROBLEM_STATE.firing})`,
      ).run(now())
      db.command(
        `INSERT INTO openings (id, problem, fingerprint, title, service, level, opened_at, firing, acked_at, acked_by)
         SELECT opening, id, fingerprint, title, service, level, opened_at, firing, acked_at, acked_by FROM problems p
         WHERE state = ${PROBLEM_STATE.firing} AND NOT EXISTS (SELECT 1 FROM openings o WHERE o.id = p.opening)`,
      ).run()
      counts.problems.openings = db.query<{ rows: number }>('SELECT count(*) AS rows FROM openings').get()?.rows ?? 0
    },
    /** Deletes at most `maxRows` of those that are too many, ended ones first; returns their number. */
    prune(maxRows: number): number {
      let deleted = 0
      for (const rows of prune) {
        const excess = Math.min(counts.problems.openings - kept, maxRows - deleted)
        if (excess <= 0) break
        const ids = rows.all(excess).map(({ id }) => id)
        counts.problems.openings -= ids.length
        deleted += ids.length
        const gone = counts.problems.openingsDeleted
        counts.problems.openingsDeleted = gone && gone.length < MAX_DELETED ? [...gone, ...ids] : undefined
      }
      return deleted
    },
    /** Returns the numbers of those deleted since the last call; undefined: too many, or it is the first call. */
    takeDeleted(): readonly number[] | undefined {
      const taken = counts.problems.openingsDeleted
      counts.problems.openingsDeleted = []
      return taken
    },
  }
}

/** Repeats are not written: only the end and the acknowledgement. */
const isChanged = (problem: Problem, disk: Problem) =>
  problem.state !== disk.state || problem.ackedAt !== disk.ackedAt || problem.ackedBy !== disk.ackedBy
