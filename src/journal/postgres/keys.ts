import { createHash } from 'node:crypto'
import { incidentId } from '../../domain/incident-id.ts'
import type { Connection } from './connection.ts'
import { KEY_TTL_MS, NOW_MS } from './schema.ts'

/** An index row of PostgreSQL holds up to 2,704 bytes. */
const MAX_KEY_BYTES = 1_024

/** Returns a key as the table can hold it: valid UTF-8 without U+0000, and the digest of a long one. */
export function keyText(key: string): string {
  const text = key.replaceAll('\0', '\ufffd').toWellFormed()
  if (Buffer.byteLength(text) <= MAX_KEY_BYTES) return text
  return `sha256 ${createHash('sha256').update(text).digest('hex')}`
}

const FIND = `
SELECT key, number, id_prefix, CASE WHEN used_at <= ${NOW_MS} - ${KEY_TTL_MS} THEN 1 ELSE 0 END AS expired
FROM journal_keys WHERE key IN (SELECT value FROM json_array_elements_text($1::json))`
const DELETE_EXPIRED = `
DELETE FROM journal_keys WHERE used_at <= ${NOW_MS} - ${KEY_TTL_MS}
AND key IN (SELECT value FROM json_array_elements_text($1::json))`

/**
 * Returns the ids of the first incidents by the keys that a request of any replica has used within 24 h. Expired ones are
 * deleted, so that an append may use them again. Throws `storage_down`, `storage_full`.
 */
export function findKeys(connection: Connection, keys: readonly string[]): ReadonlyMap<string, string> {
  const texts = [...new Set(keys.map(keyText))]
  const rows = connection.query(FIND, [JSON.stringify(texts)]).rows as (readonly [
    text: string,
    number: number,
    idPrefix: string,
    expired: number,
  ])[]
  const expired = rows.flatMap(([text, , , isExpired]) => (isExpired === 1 ? [text] : []))
  if (expired.length > 0) connection.query(DELETE_EXPIRED, [JSON.stringify(expired)])
  const ids = new Map(
    rows.flatMap(([text, number, idPrefix, isExpired]) =>
      isExpired === 1 ? [] : [[text, incidentId(idPrefix, number)] as const],
    ),
  )
  return new Map(
    keys.flatMap((key) => {
      const id = ids.get(keyText(key))
      return id === undefined ? [] : [[key, id] as const]
    }),
  )
}
