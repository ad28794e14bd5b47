import { CONNECTION_FAILURE, PostgresError } from '../errors.ts'
import type { Decoder } from './types.ts'

/** Rows of one statement. */
export interface Result {
  readonly names: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** Rows that an INSERT, UPDATE, DELETE or MERGE wrote; 0 for all others. */
  readonly changes: number
}

interface Column {
  readonly name: string
  readonly type: number
}

/** Gets the messages of one reply in their order; a part that is not given is of no interest. */
export interface ReplyHandler {
  /** Statements that were prepared. */
  parsed(): void
  parameters(types: readonly number[]): void
  columns(columns: readonly Column[]): void
  /** Decoders of the row that follows; undefined: rows are skipped. */
  decoders(): readonly Decoder[] | undefined
  row(values: unknown[]): void
  /** The statement has ended. */
  complete(tag: string): void
  /** The server skips what follows up to the Sync. */
  failed(error: PostgresError): void
  warning(sqlstate: string): void
}

/** Transaction status at the end of a reply. */
export type Status = 'idle' | 'open' | 'failed'
const STATUS: { readonly [byte: number]: Status } = { 73: 'idle', 84: 'open', 69: 'failed' }

/** Bytes of the type and the length of a message. */
export const HEAD_BYTES = 5

/** Reads one reply, which ends with ReadyForQuery. Returns the status. */
export function readReply(bytes: Buffer, handler: ReplyHandler): Status {
  let at = 0
  while (at + HEAD_BYTES <= bytes.length) {
    const type = bytes[at] as number
    const start = at + HEAD_BYTES
    at += 1 + bytes.readInt32BE(at + 1)
    switch (type) {
      case 0x44: // D: a row
        readRow(bytes, start, handler)
        break
      case 0x43: // C: the end of a statement
        handler.complete(bytes.toString('latin1', start, at - 1))
        break
      case 0x49: // I: the end of an empty statement
        handler.complete('')
        break
      case 0x31: // 1: a statement is prepared
        handler.parsed()
        break
      case 0x74: // t: types of the parameters
        handler.parameters(
          Array.from({ length: bytes.readInt16BE(start) }, (_, n) => bytes.readUInt32BE(start + 2 + 4 * n)),
        )
        break
      case 0x54: // T: columns
        handler.columns(readColumns(bytes, start))
        break
      case 0x6e: // n: no columns
        handler.columns([])
        break
      case 0x45: // E: an error
        handler.failed(readError(bytes, start, at))
        break
      case 0x4e: // N: a notice or a warning
        handler.warning(readFields(bytes, start, at).get('C') ?? '')
        break
      case 0x5a: // Z: the end of the reply
        return STATUS[bytes[start] as number] ?? 'failed'
    }
  }
  throw new PostgresError(CONNECTION_FAILURE, 'the reply of the server is not complete')
}

function readRow(bytes: Buffer, start: number, handler: ReplyHandler): void {
  const decoders = handler.decoders()
  if (decoders === undefined) return
  let at = start + 2
  const values = new Array<unknown>(decoders.length)
  for (let n = 0; n < decoders.length; n++) {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length === -1) values[n] = null
    else {
      values[n] = (decoders[n] as Decoder)(bytes, at, length)
      at += length
    }
  }
  handler.row(values)
}

/** Bytes after the name of a column: table, attribute, type, size, modifier, format. */
const COLUMN_BYTES = 18

function readColumns(bytes: Buffer, start: number): Column[] {
  let at = start + 2
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    const end = bytes.indexOf(0, at)
    const column = { name: bytes.toString('utf8', at, end), type: bytes.readUInt32BE(end + 1 + 6) }
    at = end + 1 + COLUMN_BYTES
    return column
  })
}

/** Reads the ErrorResponse at the end of bytes that a closing connection left; undefined: they hold none. */
export function lastError(bytes: Buffer): PostgresError | undefined {
  let found: PostgresError | undefined
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (bytes[at] === 0x45 && end <= bytes.length) found = readError(bytes, at + HEAD_BYTES, end)
    at = end
  }
  return found
}

function readError(bytes: Buffer, start: number, end: number): PostgresError {
  const fields = readFields(bytes, start, end)
  return new PostgresError(fields.get('C') ?? 'XX000', fields.get('M') ?? 'an error without a message')
}

/** Fields of an error or notice by their letter: C is the SQLSTATE, M the message. */
function readFields(bytes: Buffer, start: number, end: number): Map<string, string> {
  const fields = bytes.toString('utf8', start, end).split('\0')
  return new Map(fields.filter(Boolean).map((field) => [field.charAt(0), field.slice(1)]))
}
