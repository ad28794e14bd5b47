import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../domain/errors.ts'
import { lockJournal } from '../../journal/lock.ts'
import { copyJournal } from '../../journal/postgres/copy.ts'
import { JOURNAL_MIGRATIONS } from '../../journal/postgres/schema.ts'
import type { PostgresSettings } from '../../postgres/settings.ts'
import { SHARED_FILES } from '../../postgres/shared-files.ts'
import { openSyncPostgres, type SyncPostgres } from '../../postgres/sync.ts'
import { openDatabase } from '../../store/engine/database.ts'
import { copyStore } from '../../store/postgres/copy.ts'
import { installSchema, STORE_PART } from '../../store/postgres/schema.ts'

/** Building an index over many rows takes longer than a statement of the service may. */
const STATEMENT_MS = 3_600_000

/**
 * Copies what a stopped service keeps in `dataDir` into new tables, all or nothing. Throws `storage_down`, also when the
 * service runs or the tables hold incidents.
 */
export function copyService(dataDir: string, settings: PostgresSettings, report: (line: string) => void): void {
  const connection = openSyncPostgres(settings, { applicationName: 'tocsin migrate' })
  try {
    connection.patient(STATEMENT_MS, () => copy(dataDir, connection, { schema: settings.schema, report }))
  } finally {
    connection.close()
  }
}

function copy(
  dataDir: string,
  connection: SyncPostgres,
  { schema, report }: { readonly schema: string; report(line: string): void },
): void {
  const lock = lockJournal(dataDir)
  const db = openDatabase(dataDir)
  try {
    installSchema(connection, schema, [STORE_PART, { name: 'journal', migrations: JOURNAL_MIGRATIONS }, SHARED_FILES])
    connection.begin()
    const [used] = connection.query('SELECT next > 1 FROM journal_head FOR UPDATE').rows[0] ?? [1]
    if (used !== 0)
      throw new CodedError(
        'storage_down',
        `the schema ${schema} holds incidents already: name a new one in storage.postgres.schema`,
      )
    copyStore(db, connection, (table, rows) => {
      if (rows > 0) report(`${table}: ${rows} rows`)
    })
    const applied = Number(db.prepare('SELECT up_to FROM applied').get()?.up_to ?? 0)
    const keys = db
      .prepare('SELECT key, incident_id AS id, created_at AS usedAt FROM idempotency')
      .all() as unknown as {
      key: string
      id: string
      usedAt: number
    }[]
    const unapplied = copyJournal(connection, { dataDir, applied, keys, now: Date.now })
    report(`journal: ${unapplied} incidents that are not applied yet`)
    for (const name of copyFiles(dataDir, connection)) report(`${name}: copied`)
    connection.commit()
  } catch (error) {
    connection.rollback()
    throw error
  } finally {
    db.close()
    lock.release()
  }
}

/** Files of the log agent, which replicas keep as documents. */
const DOCUMENTS = ['patterns.json', 'shadow.json', 'detect.json']
const KEY = 'ack.key'

/** Copies the key of the acknowledge links and the agent's files; returns the names of those that there are. */
function copyFiles(dataDir: string, connection: SyncPostgres): readonly string[] {
  const found = [KEY, ...DOCUMENTS].filter((name) => existsSync(join(dataDir, name)))
  for (const name of found) {
    const bytes = readFileSync(join(dataDir, name))
    if (name === KEY) connection.query(`INSERT INTO secrets (name, value) VALUES ('ack', $1)`, [bytes])
    else connection.query('INSERT INTO documents (name, term, body) VALUES ($1, 0, $2)', [name, bytes.toString()])
  }
  return found
}
