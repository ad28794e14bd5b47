import type { Parameter } from './sql.ts'
import type { Statements } from './statement.ts'

/** Rows that one statement reads where a whole table is read, so that none takes a second. */
const STEP = 50_000

interface Walk {
  readonly table: string
  /** Columns of an index, in its order: all numbers, or one text. */
  readonly key: readonly string[]
  /** Below all keys. */
  readonly first: -1 | ''
  /** Condition of a partial index. */
  readonly where?: string
}

/**
 * Reads a whole table in steps by key. `read` prepares the statement of a step, and gets its condition; what it returns is
 * called with the parameters of that for each step.
 */
export function inSteps(
  db: Statements,
  { table, key, first, where }: Walk,
  read: (range: string) => (...bounds: Parameter[]) => void,
): void {
  const [columns, places] = [key.join(', '), key.map(() => '?').join(', ')]
  const above = `${where === undefined ? '' : `${where} AND `}(${columns}) > (${places})`
  const end = db.query<{ [column: string]: Parameter }>(
    `SELECT ${columns} FROM ${table} WHERE ${above} ORDER BY ${columns} LIMIT 1 OFFSET ${STEP - 1}`,
  )
  const step = read(`${above} AND (${columns}) <= (${places})`)
  const last = first === -1 ? Number.MAX_SAFE_INTEGER : '\uffff'
  let after: Parameter[] = key.map(() => first)
  for (;;) {
    const row = end.get(...after)
    const through = key.map((column) => row?.[column] ?? last)
    step(...after, ...through)
    if (row === undefined) return
    after = through
  }
}

/** Counts the rows of a table in steps. */
export function countInSteps(db: Statements, walk: Walk): number {
  let sum = 0
  inSteps(db, walk, (range) => {
    const counted = db.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${walk.table} WHERE ${range}`)
    return (...bounds) => {
      sum += counted.get(...bounds)?.rows ?? 0
    }
  })
  return sum
}
