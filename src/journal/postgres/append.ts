import { headerOf, readFrameCounts, readFrameOptions } from '../../domain/frame.ts'
import { idPrefixText } from '../../domain/incident-id.ts'
import { KeysTaken } from '../errors.ts'
import { type Connection, isUniqueViolation } from './connection.ts'
import { keyText } from './keys.ts'
import { rowsOf } from './rows.ts'
import { NOW_MS } from './schema.ts'

/** Head of the journal after the append. */
export interface Appended {
  /** Number of the first incident of the append. */
  readonly first: number
  readonly keyed: number
  /** Epoch milliseconds. */
  readonly committedAt: number
}

export interface Append {
  readonly incidents: number
  /** Names the append in its rows. */
  readonly name: number
  /** Has no effect when the barrier is another one: then it returns undefined. Throws KeysTaken. */
  run(connection: Connection, barrier: number): Appended | undefined
}

/** Seals the frames and returns the statement that appends them, to be run once. */
export function prepareAppend(
  frames: readonly Uint8Array<ArrayBuffer>[],
  { name, idPrefix }: { readonly name: number; readonly idPrefix: Uint8Array },
): Append {
  const rows = rowsOf(frames, idPrefix)
  const incidents = rows.reduce((sum, row) => sum + row.incidents, 0)
  const keys = keysIn(frames)
  const sql = keys.length > 0 ? withKeys(rows.length) : withoutKeys(rows.length)
  const fixed = [incidents, name]
  const columns = rows.flatMap((row) => [row.offset, row.incidents, row.frames])
  const keyColumns = keys.length > 0 ? [JSON.stringify(keys), idPrefixText(idPrefix)] : []
  return {
    incidents,
    name,
    run(connection, barrier) {
      try {
        const [row] = connection.query(sql, [barrier, ...fixed, ...columns, ...keyColumns]).rows
        if (row === undefined) return undefined
        const [first, keyed, committedAt] = row as [number, number, number]
        return { first, keyed, committedAt }
      } catch (error) {
        throw isUniqueViolation(error) && keys.length > 0 ? new KeysTaken() : error
      }
    },
  }
}

interface KeyOfAppend {
  readonly key: string
  /** Incidents of the append before the request. */
  readonly offset: number
}

function keysIn(frames: readonly Uint8Array[]): KeyOfAppend[] {
  const found: KeyOfAppend[] = []
  let offset = 0
  for (const frame of frames) {
    const { keyed, incidents } = headerOf(frame)
    if (keyed) found.push(...keysOf(frame, offset))
    offset += incidents
  }
  return found
}

function keysOf(frame: Uint8Array, offset: number): KeyOfAppend[] {
  const options = readFrameOptions(frame)
  let next = offset
  return readFrameCounts(frame).flatMap((count, request) => {
    const at = next
    next += count
    const key = options.get(request)?.key
    return key === undefined ? [] : [{ key: keyText(key), offset: at }]
  })
}

const FIXED = 3
const COLUMNS = 3

/** One statement is one transaction and one round trip. All depends on the head, so its lock is taken first. */
const append = (rows: number, { keyed, more }: { readonly keyed: string; readonly more: string }) => `
WITH head AS MATERIALIZED (
  UPDATE journal_head SET next = next + $2::bigint, keyed = ${keyed} WHERE barrier = $1::bigint
  RETURNING next - $2::bigint AS first, keyed, ${NOW_MS} AS at
), frames AS (
  INSERT INTO journal (last, first, committed_at, append, frames)
  SELECT head.first + r.before + r.incidents - 1, head.first + r.before, head.at, $3::bigint, r.frames
  FROM head CROSS JOIN (VALUES ${valuesOf(rows)}) AS r (before, incidents, frames)
)${more}
SELECT first, keyed, at FROM head`

const valuesOf = (rows: number) =>
  Array.from({ length: rows }, (_, row) => {
    const at = FIXED + row * COLUMNS
    return `($${at + 1}::bigint, $${at + 2}::bigint, $${at + 3}::bytea)`
  }).join(', ')

const withoutKeys = remembered((rows) => append(rows, { keyed: 'keyed', more: '' }))

const withKeys = remembered((rows) => {
  const at = FIXED + rows * COLUMNS
  return append(rows, {
    keyed: 'next + $2::bigint - 1',
    more: `, keys AS (
  INSERT INTO journal_keys (key, number, id_prefix, used_at)
  SELECT k.key, head.first + k."offset", $${at + 2}::text, head.at
  FROM head CROSS JOIN json_to_recordset($${at + 1}::json) AS k (key text, "offset" bigint)
)`,
  })
})

function remembered(make: (rows: number) => string): (rows: number) => string {
  const made = new Map<number, string>()
  return (rows) => {
    const text = made.get(rows) ?? make(rows)
    made.set(rows, text)
    return text
  }
}
