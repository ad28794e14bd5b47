import { STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { openUndoMap } from '../engine/overlay.ts'
import { withoutNul } from '../engine/statement.ts'

/** How long a page may be on its way before the next way of the person is tried as well. */
const LATE_MS = 20_000

/** Longer than any wait of a page: a later time was set while the clock was wrong. */
const LONGEST_WAIT_MS = 8 * 24 * 3_600_000

/** Pages that one message counts at most; more wait until the way has rested. */
const TOGETHER = 500

/** One way of one person, or another target, that a step asked. */
export interface PageRow {
  readonly id: number
  readonly run: number
  readonly round: number
  readonly step: number
  readonly target: string
  readonly because: string
  readonly person: string | null
  readonly way: number | null
  readonly state: number
  readonly planned_at: number
  readonly due_at: number | null
  readonly message: number | null
  readonly told_at: number | null
  readonly settled_at: number | null
  readonly detail: string | null
  /** How long after its due time the step ran. */
  readonly late_ms: number
}

export interface NewPage extends Pick<PageRow, 'run' | 'round' | 'step' | 'target' | 'because'> {
  readonly person?: string
  readonly way?: number
  /** Epoch milliseconds; absent: there is nothing to send. */
  readonly dueAt?: number
  readonly detail?: string
  readonly lateMs: number
}

/** Not by the index of what waits for a person: a storm has thousands of rows there, and a run has few. */
const OF_PERSON = "coalesce(person, '') = ?3"

export type PageRows = ReturnType<typeof openPageRows>

/** Pages of people on disk. Inside `write`. */
export function openPageRows({ db, caches, now }: Pick<StoreContext, 'db' | 'caches' | 'now'>) {
  const insert = db.command(
    `INSERT INTO oncall_pages (run, round, step, target, because, person, way, state, planned_at, due_at, settled_at, detail, late_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const due = db.query<PageRow>('SELECT * FROM oncall_pages WHERE due_at <= ? ORDER BY due_at, id LIMIT ?')
  const isDue = db.query<object>(`SELECT 1 FROM oncall_pages WHERE id = ? AND state = ${STATE.pending} AND due_at <= ?`)
  const ofMessage = db.query<PageRow>('SELECT * FROM oncall_pages WHERE message = ? ORDER BY id')
  const ofRun = db.query<PageRow>('SELECT * FROM oncall_pages WHERE run = ? ORDER BY id')
  const waiting = db.query<PageRow>(
    `SELECT * FROM oncall_pages WHERE state = ${STATE.pending} AND person = ? AND way = ? AND due_at <= ? ORDER BY due_at LIMIT ${TOGETHER}`,
  )
  const told = db.query<{ at: number | null }>(
    'SELECT max(told_at) AS at FROM oncall_pages WHERE person = ? AND way = ? AND told_at IS NOT NULL',
  )
  const tell = db.command(
    `UPDATE oncall_pages SET state = ${STATE.sending}, message = ?, told_at = ?, due_at = ? WHERE id = ?`,
  )
  const wait = db.command('UPDATE oncall_pages SET due_at = ? WHERE id = ?')
  const settle = db.command(
    'UPDATE oncall_pages SET state = ?, due_at = NULL, settled_at = ?, detail = coalesce(?, detail) WHERE id = ?',
  )
  const cancel = db.command(
    `UPDATE oncall_pages SET state = ${STATE.skipped}, due_at = NULL, settled_at = ?1, detail = ?2
     WHERE run = ?3 AND state = ${STATE.pending}`,
  )
  const replace = db.command(
    `UPDATE oncall_pages SET state = ${STATE.skipped}, due_at = NULL, settled_at = ?1, detail = ?4
     WHERE run = ?2 AND ${OF_PERSON} AND state = ${STATE.pending}`,
  )
  const hurry = db.command(
    `UPDATE oncall_pages SET due_at = ?1 WHERE due_at > ?1 AND id = (SELECT min(id) FROM oncall_pages
       WHERE run = ?2 AND ${OF_PERSON} AND state = ${STATE.pending} AND way > ?4)`,
  )

  const report = db.command('UPDATE oncall_pages SET detail = ? WHERE id = ?')

  const next = db.query<{ at: number }>(
    'SELECT due_at AS at FROM oncall_pages WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1',
  )
  const shift = db.command(
    'UPDATE oncall_pages SET due_at = due_at + ?1, told_at = told_at + ?1 WHERE due_at IS NOT NULL',
  )
  const bound = db.command('UPDATE oncall_pages SET due_at = ?1 WHERE due_at > ?2')
  const remove = db.command('DELETE FROM oncall_pages WHERE run IN (SELECT id FROM oncall_runs WHERE problem = ?)')
  const lastDead = db.query<{ person: string; way: number }>(
    `SELECT person, way FROM oncall_pages WHERE person IS NOT NULL AND way IS NOT NULL AND state IN (${STATE.sent}, ${STATE.dead})
     GROUP BY person, way HAVING max(CASE WHEN state = ${STATE.dead} THEN id ELSE 0 END) = max(id)`,
  )
  /** Ways of people whose last page is dead. */
  const failing = openUndoMap<string, true>(caches)
  const wayKey = ({ person, way }: Pick<PageRow, 'person' | 'way'>) => `${person} ${way}`

  return {
    /** Reads which ways failed last, and bounds times of a wrong clock. */
    load(): void {
      bound.run(now(), now() + LONGEST_WAIT_MS)
      for (const page of lastDead.all()) failing.set(wayKey(page), true)
    },
    /** Returns when the next one is due, epoch milliseconds. */
    nextDueAt: (): number => next.get()?.at ?? Infinity,
    /** The clock was set. */
    shift: (byMs: number): void => shift.run(byMs),
    /** Deletes those of a problem, before its runs. */
    forget: (problem: number): void => remove.run(problem),
    failing: failing.size,
    add({ run, round, step, target, because, person, way, dueAt, detail, lateMs }: NewPage): void {
      const [state, settledAt] = dueAt === undefined ? [STATE.skipped, now()] : [STATE.pending, null]
      insert.run(
        ...[run, round, step, target, because, person ?? null, way ?? null],
        ...[state, now(), dueAt ?? null, settledAt, detail ?? null, lateMs],
      )
    },
    /** It is due and not told. */
    isDue: ({ id }: PageRow): boolean => isDue.get(id, now()) !== undefined,
    due: (limit: number) => due.all(now(), limit),
    ofMessage: (message: number) => ofMessage.all(message),
    ofRun: (run: number) => ofRun.all(run),
    /** Returns the due pages of one way of a person. */
    waiting: (person: string, way: number) => waiting.all(person, way, now()),
    /** Returns when the way told something last, epoch milliseconds. */
    toldAt: (person: string, way: number) => told.get(person, way)?.at ?? Number.NEGATIVE_INFINITY,
    tell: ({ id }: PageRow, message: number): void => tell.run(message, now(), now() + LATE_MS, id),
    /** `at`: epoch milliseconds; null: for no time. */
    wait: ({ id }: PageRow, at: number | null): void => wait.run(at, id),
    settle({ id, ...of }: PageRow, state: 'sent' | 'dead' | 'skipped', detail?: string): void {
      settle.run(STATE[state], now(), detail === undefined ? null : withoutNul(detail), id)
      if (of.person !== null && state !== 'skipped') failing.set(wayKey(of), state === 'dead' ? true : undefined)
    },
    /** What a gateway says of a page. */
    reported: ({ id }: PageRow, detail: string): void => report.run(withoutNul(detail), id),
    /** Skips what is not sent of a run. */
    cancel: (run: number, why: string): void => cancel.run(now(), why, run),
    /** Skips what is not sent of a run to a person. */
    replace: (run: number, person: string, why: string): void => replace.run(now(), run, person, why),
    /** Makes the next way of the person due now. */
    hurry({ run, person, way }: PageRow): void {
      if (person !== null && way !== null) hurry.run(now(), run, person, way)
    },
  }
}
