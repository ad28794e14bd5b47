import { CodedError } from '../../domain/errors.ts'
import { headerOf, type KeyedRequest } from '../../domain/frame.ts'
import { ID_PREFIX_BYTES, idPrefixText } from '../../domain/incident-id.ts'
import type { StoredFrame } from '../contract.ts'
import { openJournal } from '../journal.ts'
import { openJournalReader } from '../reader.ts'
import { journalDirectory } from '../scan.ts'
import type { Connection } from './connection.ts'
import { keyText } from './keys.ts'
import { rowsOf } from './rows.ts'

const INSERT = 'INSERT INTO journal (last, first, committed_at, append, frames) VALUES ($1, $2, $3, 0, $4)'
const INSERT_KEY =
  'INSERT INTO journal_keys (key, number, id_prefix, used_at) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING'
const START = 'UPDATE journal_head SET next = $1, keyed = $1 - 1'
const PROGRESS = 'UPDATE journal_progress SET applied = $1'

/** A key that the store knows. */
interface AppliedKey {
  readonly key: string
  readonly id: string
  /** Epoch milliseconds. */
  readonly usedAt: number
}

interface CopyOptions {
  readonly dataDir: string
  /** Number of the last applied incident. */
  readonly applied: number
  readonly keys: Iterable<AppliedKey>
  /** Epoch milliseconds. */
  now(): number
}

/**
 * Copies the incidents of a journal in files that are not applied, and the idempotency keys, into new tables, in the
 * transaction that is open. The caller holds the lock of the journal. Returns the number of incidents. Throws
 * `storage_down`, also when an incident cannot be read.
 */
export function copyJournal(connection: Connection, { dataDir, applied, keys, now }: CopyOptions): number {
  const damaged: string[] = []
  const { journal, keys: unapplied } = openJournal({
    dataDir,
    released: applied,
    now,
    damaged: (what) => damaged.push(what),
  })
  const committed = journal.nextNumber - 1
  journal.close()
  if (damaged.length > 0) throw unreadable(damaged.join('; '))
  copyFrames(connection, dataDir, { applied, committed })
  for (const { key, id, usedAt } of keys) insertKey(connection, { key, id }, usedAt)
  for (const request of unapplied) insertKey(connection, request, now())
  connection.query(START, [committed + 1])
  connection.query(PROGRESS, [applied])
  return committed - applied
}

function copyFrames(
  connection: Connection,
  dataDir: string,
  { applied, committed }: { readonly applied: number; readonly committed: number },
): void {
  const reader = openJournalReader(journalDirectory(dataDir))
  try {
    for (let next = applied + 1; next <= committed; ) {
      for (const stored of reader.read(next, committed)) {
        insertFrame(connection, stored)
        next = stored.last + 1
      }
    }
  } finally {
    reader.close()
  }
}

const ID_PREFIX_AT = 40

function insertFrame(connection: Connection, { frame, first, last, damage }: StoredFrame): void {
  if (damage !== undefined) throw unreadable(damage)
  // The reader uses its memory again.
  const own = frame.slice()
  const { committedAt } = headerOf(own)
  const [row] = rowsOf([own], own.slice(ID_PREFIX_AT, ID_PREFIX_AT + ID_PREFIX_BYTES))
  if (row !== undefined) connection.query(INSERT, [last, first, committedAt, row.frames])
}

function insertKey(connection: Connection, { key, id }: Pick<KeyedRequest, 'key' | 'id'>, usedAt: number): void {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  const number = bytes.readUIntBE(ID_PREFIX_BYTES, bytes.length - ID_PREFIX_BYTES)
  connection.query(INSERT_KEY, [keyText(key), number, idPrefixText(bytes), usedAt])
}

const unreadable = (what: string) =>
  new CodedError(
    'storage_down',
    `the journal is damaged (${what}): start the service once with storage.type file, which puts what it cannot read into quarantine, stop it, and try again`,
  )
