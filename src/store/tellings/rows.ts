import { columnOf, selected } from '../engine/columns.ts'
import type { StoreContext } from '../engine/context.ts'
import { openOverlay } from '../engine/overlay.ts'
import type { Parameter } from '../engine/sql.ts'

/** What a destination knows of a problem, and what a silence holds of it. Times are epoch milliseconds. */
export interface Telling {
  /** Numbers. The destination is one of a channel, or the on-call provider. */
  readonly problem: number
  readonly destination: number
  /** The latest firing incident that it was told of, or one of the same spell; 0: none. */
  readonly told: number
  /** The last firing message: its incident, and the provider's id. */
  readonly incident: number | null
  readonly messageId: string | null
  /** The silence whose window held something of the problem. */
  readonly silence: number | null
  /** The incident whose delivery, or timer, is held; null: the problem is over, or nothing was held. */
  readonly held: number | null
  /** Incidents of the window, the loudest rank of their severities, the times of the first and the last. */
  readonly alerts: number
  readonly level: number | null
  readonly firstAt: number | null
  readonly lastAt: number | null
}

export const NOTHING_HELD = {
  silence: null,
  held: null,
  alerts: 0,
  level: null,
  firstAt: null,
  lastAt: null,
} as const satisfies Partial<Telling>

const FIELDS = [
  ...(['problem', 'destination', 'told', 'incident', 'messageId', 'silence'] as const),
  ...(['held', 'alerts', 'level', 'firstAt', 'lastAt'] as const),
] satisfies readonly (keyof Telling)[]
const NAMES = FIELDS.map(columnOf)
const TELLING_COLUMNS = selected(FIELDS, 't.')

/** Problems whose tellings are kept in memory. */
const CACHED = 8_192

/** Tellings by problem, in memory and on disk. A turn changes them in memory, and writes each once. Inside `write`. */
export function openTellingRows({ db, caches }: Pick<StoreContext, 'db' | 'caches'>) {
  const ofOne = db.query<Telling>(`SELECT ${TELLING_COLUMNS} FROM tellings t WHERE t.problem = ?`)
  const ofSome = db.queryList<Telling>(
    (places) => `SELECT ${TELLING_COLUMNS} FROM tellings t WHERE t.problem IN (${places})`,
  )
  const save = db.rowsCommand(
    NAMES.length,
    (places) => `INSERT INTO tellings (${NAMES.join(', ')}) VALUES ${places}
     ON CONFLICT (problem, destination) DO UPDATE SET ${NAMES.slice(2).map((name) => `${name} = excluded.${name}`)}`,
  )
  const confirm = db.command(
    `INSERT INTO tellings (problem, destination, told, incident, message_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (problem, destination) DO UPDATE SET told = CASE WHEN tellings.told > excluded.told THEN tellings.told ELSE excluded.told END,
       incident = excluded.incident, message_id = excluded.message_id`,
  )
  const remove = db.commandList((places) => `DELETE FROM tellings WHERE destination = ? AND problem IN (${places})`)
  const removeAll = db.commandList((places) => `DELETE FROM tellings WHERE held IS NULL AND problem IN (${places})`)
  const rows = openOverlay<number, { problem: number; tellings: readonly Telling[] }>(caches, {
    read: (problem) => ({ problem, tellings: ofOne.all(problem) }),
    max: CACHED,
  })
  const all = (problem: number): readonly Telling[] => rows.find(problem)?.tellings ?? []
  const of = (problem: number, destination: number): Telling =>
    all(problem).find((each) => each.destination === destination) ?? {
      ...{ problem, destination, told: 0, incident: null, messageId: null },
      ...NOTHING_HELD,
    }

  /** Replaces one telling of a problem; one that says nothing is deleted. */
  function put(telling: Telling): void {
    const { problem, destination } = telling
    const others = all(problem).filter((each) => each.destination !== destination)
    rows.set(problem, { problem, tellings: saysSomething(telling) ? [...others, telling] : others })
  }

  /** Writes what changed. */
  function flush(): void {
    const saved: Parameter[][] = []
    const removed = new Map<number, number[]>()
    rows.flush(({ problem, tellings }, disk) => {
      for (const each of tellings)
        if (disk?.tellings.includes(each) !== true) saved.push(FIELDS.map((field) => each[field]))
      for (const { destination } of disk?.tellings ?? [])
        if (tellings.every((each) => each.destination !== destination))
          removed.set(destination, [...(removed.get(destination) ?? []), problem])
    })
    save(saved)
    for (const [destination, problems] of removed) remove(problems, destination)
  }

  return {
    all,
    of,
    put,
    /** Records a firing message that a destination has confirmed; reads nothing. */
    confirmed(problem: number, destination: number, { incident: told, messageId, isShared }: Confirmed): void {
      const incident = isShared === true ? null : told
      if (!rows.has(problem)) return confirm.run(problem, destination, told, incident, messageId)
      const was = of(problem, destination)
      put({ ...was, told: Math.max(was.told, told), incident, messageId })
    },
    /** Reads the tellings of these problems together. */
    prefetch(problems: Iterable<number>): void {
      const wanted = [...new Set(problems)].filter((problem) => !rows.has(problem))
      const found = Map.groupBy(ofSome(wanted), ({ problem }) => problem)
      for (const problem of wanted) rows.keep(problem, { problem, tellings: found.get(problem) ?? [] })
    },
    /** A problem has no telling, because nothing came of it before: none is read. */
    isNew: (problem: number): void => rows.keep(problem, { problem, tellings: [] }),
    /** Deletes those of problems that were deleted; those that are held go when they are told. */
    remove(problems: readonly number[]): void {
      flush()
      removeAll(problems)
      for (const problem of problems) rows.deleted(problem)
    },
    flush,
  }
}

export interface Confirmed {
  readonly incident: number
  readonly messageId: string
  /** The message is that of a group: it is not edited for the problem alone. */
  readonly isShared?: boolean | undefined
}

const saysSomething = ({ told, messageId, silence }: Telling) => told > 0 || messageId !== null || silence !== null
