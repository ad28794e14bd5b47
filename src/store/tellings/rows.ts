import type { StoreContext } from '../engine/context.ts'
import { openOverlay } from '../engine/overlay.ts'
import { command, query, queryList } from '../engine/statement.ts'

/** What a destination knows of a problem. */
export interface Telling {
  /** Numbers. */
  readonly problem: number
  readonly destination: number
  /** The latest firing incident that it was told of; 0: none. */
  readonly told: number
  /** The last firing message: its incident, and the provider's id. */
  readonly incident: number | null
  readonly messageId: string | null
}

interface TellingRow extends Omit<Telling, 'messageId'> {
  readonly message_id: string | null
}

/** Tellings that are kept in memory. */
const CACHED = 8_192

/**
 * One row for each problem and destination, in memory and on disk. A turn changes them in memory, and writes each once.
 * Inside `write`.
 */
export function openTellingRows({ db }: Pick<StoreContext, 'db'>) {
  const one = query<TellingRow>(db, 'SELECT * FROM tellings WHERE problem = ? AND destination = ?')
  const remove = queryList<Pick<Telling, 'problem' | 'destination'>>(
    db,
    (places) => `DELETE FROM tellings WHERE problem IN (${places}) RETURNING problem, destination`,
  )
  const save = command(
    db,
    `INSERT INTO tellings (problem, destination, told, incident, message_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (problem, destination) DO UPDATE SET told = CASE WHEN tellings.told > excluded.told THEN tellings.told ELSE excluded.told END,
       incident = excluded.incident, message_id = excluded.message_id`,
  )
  const rows = openOverlay<string, Telling>({
    read(key) {
      const [problem, destination] = key.split(' ').map(Number) as [number, number]
      const row = one.get(problem, destination)
      return row === undefined ? unknown(problem, destination) : tellingOf(row)
    },
    max: CACHED,
  })

  const write = ({ problem, destination, told, incident, messageId }: Telling): void =>
    save.run(problem, destination, told, incident, messageId)

  const flush = (): void => rows.flush(write)

  return {
    find: (problem: number, destination: number): Telling => rows.find(keyOf(problem, destination)) as Telling,
    set: (telling: Telling): void => rows.set(keyOf(telling.problem, telling.destination), telling),
    /** Records a firing message that a destination has confirmed; reads nothing. */
    confirmed(telling: Telling): void {
      const key = keyOf(telling.problem, telling.destination)
      if (rows.has(key)) rows.set(key, { ...telling, told: Math.max(telling.told, rows.find(key)?.told ?? 0) })
      else write(telling)
    },
    /** Deletes all of these problems. */
    remove(problems: readonly number[]): void {
      flush()
      for (const { problem, destination } of remove(problems)) rows.deleted(keyOf(problem, destination))
    },
    /** Writes what changed. */
    flush,
    commit: rows.commit,
    rollback: rows.rollback,
  }
}

const keyOf = (problem: number, destination: number) => `${problem} ${destination}`

const unknown = (problem: number, destination: number): Telling => ({
  ...{ problem, destination },
  ...{ told: 0, incident: null, messageId: null },
})

const tellingOf = ({ message_id: messageId, ...row }: TellingRow): Telling => ({ ...row, messageId })
