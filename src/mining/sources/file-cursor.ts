import type { Read } from './chunk-reader.ts'
import type { Cursor } from './contract.ts'
import { HEAD_BYTES, headOf, type OpenFile } from './rotation.ts'

/** Where a file is being read. */
export interface Position {
  /** Inode; '' while there is no file. */
  readonly file: string
  readonly offset: number
  /** Hash of the first `headBytes` bytes: a file that begins otherwise is another one, whatever its inode. */
  readonly head: string
  readonly headBytes: number
  /** In the middle of a line too long to be read. */
  readonly skipping: boolean
}

export const NOWHERE: Position = { file: '', offset: 0, head: '', headBytes: 0, skipping: false }

export const atStart = ({ inode }: OpenFile): Position => ({ ...NOWHERE, file: inode })

export const moved = (from: Position, { consumed, skipping }: Read): Position => ({
  ...from,
  offset: from.offset + consumed,
  skipping,
})

/** A file that is shorter than what was read of it, or begins otherwise, has been written anew. */
export async function isSame(file: OpenFile, { offset, head, headBytes }: Position): Promise<boolean> {
  return file.size >= offset && (await headOf(file.handle, headBytes)) === head
}

export async function withHead({ handle }: OpenFile, position: Position): Promise<Position> {
  const headBytes = Math.min(HEAD_BYTES, position.offset)
  if (headBytes === position.headBytes) return position
  return { ...position, headBytes, head: await headOf(handle, headBytes) }
}

export const cursorOf = (position: Position): Cursor => ({ ...position })

export function positionOf({ file, offset, head, headBytes, skipping }: Cursor): Position {
  return {
    file: String(file ?? ''),
    offset: Number(offset) || 0,
    head: String(head ?? ''),
    headBytes: Number(headBytes) || 0,
    skipping: skipping === true,
  }
}
