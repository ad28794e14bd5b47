import { randomBytes } from 'node:crypto'
import { CodedError } from '../domain/errors.ts'
import { parseObject } from '../text/json-object.ts'
import type { SyncPostgres } from './sync.ts'

/** What one replica keeps in files and several share: one JSON text for each document, and keys. */
export const SHARED_FILES = {
  name: 'files',
  migrations: [
    `CREATE TABLE documents (
       name text PRIMARY KEY, term bigint NOT NULL, body text NOT NULL, saved_at timestamptz NOT NULL DEFAULT now());
     CREATE TABLE secrets (name text PRIMARY KEY, value bytea NOT NULL)`,
  ],
} as const

type Queries = Pick<SyncPostgres, 'query'>

interface DocumentOptions {
  readonly name: string
  /** Term of the lease in which the writer leads: a document that a later leader has loaded is not changed. */
  readonly term: number
  /** Called when the document is no JSON object; it is renamed to `as`. */
  setAside(name: string, as: string): void
}

/** Opens a JSON document for the replica that leads. */
export function openDocument(connection: Queries, { name, term, setAside }: DocumentOptions) {
  return {
    /** Returns undefined when there is none. Throws `storage_down`. */
    load(): { readonly [field: string]: unknown } | undefined {
      const { rows } = connection.query(TAKE, [name, term])
      if (rows.length === 0) {
        if (connection.query(KNOWN, [name]).rows.length > 0) throw replaced(name)
        return undefined
      }
      const document = parseObject(String(rows[0]?.[0]))
      if (document !== undefined) return document
      const as = String(connection.query(SET_ASIDE, [name]).rows[0]?.[0])
      setAside(name, as)
      return undefined
    },
    /** Committed when it returns. Throws `storage_full`, `storage_down`; also when another replica leads. */
    save(document: object): void {
      if (connection.query(SAVE, [name, term, JSON.stringify(document)]).changes === 0) throw replaced(name)
    },
  }
}

const TAKE = 'UPDATE documents SET term = $2 WHERE name = $1 AND term <= $2 RETURNING body'
const KNOWN = 'SELECT 1 FROM documents WHERE name = $1'
const SET_ASIDE = `UPDATE documents SET name = name || '.broken-' || to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24-MI-SS.MS')
  WHERE name = $1 RETURNING name`
const SAVE = `INSERT INTO documents (name, term, body) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET term = excluded.term, body = excluded.body, saved_at = now()
  WHERE documents.term <= excluded.term`

const replaced = (name: string) =>
  new CodedError('storage_down', `another replica leads and keeps ${name} now: this one must not change it`)

const SECRET_BYTES = 32

/** Returns the secret; makes one when there is none. Of several replicas that do so, the first one counts. Throws `storage_down`. */
export function openSecret(connection: Queries, name: string): Uint8Array {
  connection.query('INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    randomBytes(SECRET_BYTES),
  ])
  const secret = existingSecret(connection, name)
  if (secret === undefined)
    throw new CodedError('storage_down', `the secret ${name} was deleted from the table secrets`)
  return secret
}

/** Returns undefined when nobody has made the secret. Throws `storage_down`. */
export function existingSecret(connection: Queries, name: string): Uint8Array | undefined {
  return connection.query('SELECT value FROM secrets WHERE name = $1', [name]).rows[0]?.[0] as Uint8Array | undefined
}
