import type { Page, Signal, Stand, Timer } from '../../domain/page.ts'
import { PHASE, PROVIDER_KNOWS, phaseName, providerKnowsName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { openOverlay, openUndoMap } from '../engine/overlay.ts'
import type { Parameter } from '../engine/sql.ts'

export interface PageRow {
  readonly problem: number
  readonly target: string
  readonly heard: number
  readonly provider: string | null
  readonly phase: number | null
  readonly incident: number | null
  readonly stands_until: number | null
  readonly level: number | null
  readonly members: string | null
  readonly timer: number | null
  readonly timer_incident: number | null
  readonly due_at: number | null
  readonly wait_ms: number | null
  readonly timer_level: number | null
  readonly timer_members: string | null
  readonly signal: Signal | null
  readonly signal_at: number | null
  readonly attempts: number
  readonly leased: number
}

/** Values of all columns but the key, by name. */
const COLUMNS = {
  heard: ({ providerKnows }) => PROVIDER_KNOWS[providerKnows],
  provider: ({ provider }) => provider ?? null,
  phase: ({ stand }) => (stand === undefined ? null : PHASE[stand.phase]),
  incident: ({ stand }) => stand?.incident ?? null,
  stands_until: ({ stand }) => stand?.until ?? null,
  level: ({ stand }) => stand?.level ?? null,
  members: ({ stand }) => jsonOf(stand?.members),
  timer: ({ timer }) => (timer === undefined ? null : PHASE[timer.state]),
  timer_incident: ({ timer }) => timer?.incident ?? null,
  due_at: ({ timer }) => timer?.dueAt ?? null,
  wait_ms: ({ timer }) => timer?.waitMs ?? null,
  timer_level: ({ timer }) => timer?.level ?? null,
  timer_members: ({ timer }) => jsonOf(timer?.members),
  signal: ({ next }) => next?.signal ?? null,
  signal_at: ({ next }) => next?.at ?? null,
  attempts: ({ next }) => next?.attempts ?? 0,
  leased: ({ next }) => (next?.state === 'in flight' ? 1 : 0),
} as const satisfies { readonly [column in Exclude<keyof PageRow, 'problem' | 'target'>]: (page: Page) => Parameter }
const NAMES = Object.keys(COLUMNS)
const READERS = Object.values(COLUMNS)

const jsonOf = (members: readonly string[] | null | undefined) => (members ? JSON.stringify(members) : null)

/** Problems whose pages are kept in memory. */
const CACHED = 4_096
const NONE: readonly Page[] = []

/**
 * One row for each problem and destination of the provider, in memory and on disk, and the numbers of all problems that have
 * pages. A change is written at once. Inside `write`.
 */
export function openPageRows({ db, counts, caches }: Pick<StoreContext, 'db' | 'counts' | 'caches'>) {
  const ofProblem = db.query<PageRow>('SELECT * FROM pages WHERE problem = ? ORDER BY target')
  const all = db.query<{ problem: number; pages: number }>(
    'SELECT problem, count(*) AS pages FROM pages GROUP BY problem',
  )
  const insertArmed = db.command(
    `INSERT INTO pages (problem, target, timer, timer_incident, due_at, wait_ms, timer_level, timer_members, signal, signal_at)
     VALUES (?1, ?2, ${PHASE.armed}, ?3, ?4, ?5, ?6, ?7, 'trigger', ?4)`,
  )
  const insert = db.command(
    `INSERT INTO pages (${NAMES}, problem, target) VALUES (${[...NAMES, '', ''].map(() => '?')})`,
  )
  const update = db.command(`UPDATE pages SET ${NAMES.map((name) => `${name} = ?`)} WHERE problem = ? AND target = ?`)
  const remove = db.command('DELETE FROM pages WHERE problem = ? AND target = ?')
  /** Of each problem that has pages, their number. */
  const known = openUndoMap<number, number>(caches)
  const rows = openOverlay<number, readonly Page[]>(caches, {
    read: (problem) => ofProblem.all(problem).map(pageOf),
    max: CACHED,
  })

  const find = (problem: number): readonly Page[] =>
    known.get(problem) === undefined ? NONE : (rows.find(problem) ?? NONE)

  function count(problem: number, added: number): void {
    counts.pages += added
    known.set(problem, (known.get(problem) ?? 0) + added || undefined)
  }

  function add(page: Page): void {
    const { timer, problem, target } = page
    if (page.stand === undefined && timer?.state === 'armed') {
      const { incident, dueAt, waitMs, level, members } = timer
      insertArmed.run(problem, target, incident, dueAt, waitMs, level, jsonOf(members))
    } else insert.run(...READERS.map((read) => read(page)), problem, target)
    count(problem, 1)
  }

  return {
    /** Returns the pages of a problem. */
    find,
    /** Replaces a page. `was` undefined: it is a new one; `is` undefined: nothing is left of it. */
    save(was: Page | undefined, is: Page | undefined): void {
      const { problem, target } = (is ?? was) as Page
      const others = find(problem).filter((page) => page.target !== target)
      if (is === undefined) {
        if (was === undefined) return
        remove.run(problem, target)
        count(problem, -1)
      } else if (was === undefined) add(is)
      else update.run(...READERS.map((read) => read(is)), problem, target)
      rows.keep(problem, is === undefined ? others : [...others, is])
    },
    /** The problem has pages. */
    has: (problem: number): boolean => known.get(problem) !== undefined,
    /** Rows were changed by other means. */
    forget: rows.forget,
    /** Reads the numbers of all. */
    load(): void {
      for (const { problem, pages } of all.all()) count(problem, pages)
    },
  }
}

export function pageOf(row: PageRow): Page {
  const { problem, target, heard, provider } = row
  return {
    ...{ problem, target, providerKnows: providerKnowsName(heard), provider: provider ?? undefined },
    ...{ stand: standOf(row), timer: timerOf(row), next: nextOf(row) },
  }
}

function standOf({ phase, incident, stands_until: until, level, members }: PageRow): Stand | undefined {
  if (phase === null || incident === null || until === null || level === null) return undefined
  return { phase: phaseName(phase) as Stand['phase'], incident, until, level, members: membersOf(members) }
}

function timerOf(row: PageRow): Timer | undefined {
  const { timer, timer_incident: incident, due_at: dueAt, wait_ms: waitMs } = row
  if (timer === null || incident === null || dueAt === null || waitMs === null) return undefined
  const covered = { level: row.timer_level ?? 0, members: membersOf(row.timer_members) }
  return { state: phaseName(timer) as Timer['state'], incident, dueAt, waitMs, ...covered }
}

const nextOf = ({ signal, signal_at: at, attempts, leased }: PageRow): Page['next'] =>
  signal === null || at === null ? undefined : { signal, at, attempts, state: leased === 1 ? 'in flight' : 'waiting' }

const membersOf = (members: string | null) => (members === null ? null : (JSON.parse(members) as string[]))
