import type { ChunkRead } from './chunk-reader.ts'
import type { Cursor } from './contract.ts'
import { HEAD_BYTES, headOf, type OpenFile } from './rotation.ts'

/** Position in a log file. */
export interface FilePosition {
  /** Inode; '' while there is no file. */
  readonly file: string
  readonly offset: number
  /** Hash of the first `headBytes` bytes. Detects a new file with the same inode. */
  readonly head: string
  readonly headBytes: number
  /** The offset is within a line that was too long. */
  readonly skipping: boolean
}

export const NO_FILE: FilePosition = { file: '', offset: 0, head: '', headBytes: 0, skipping: false }

export const atStart = ({ inode }: OpenFile): FilePosition => ({ ...NO_FILE, file: inode })

export const advance = (from: FilePosition, { consumed, skipping }: ChunkRead): FilePosition => ({
  ...from,
  offset: from.offset + consumed,
  skipping,
})

/** Returns false when the file was truncated or rewritten: it is shorter than the offset or begins with other bytes. */
export async function isSameFile(file: OpenFile, { offset, head, headBytes }: FilePosition): Promise<boolean> {
  return file.size >= offset && (await headOf(file.handle, headBytes)) === head
}

/** Returns the position with the hash of as many first bytes as were read, up to `HEAD_BYTES`. */
export async function withHead({ handle }: OpenFile, position: FilePosition): Promise<FilePosition> {
  const headBytes = Math.min(HEAD_BYTES, position.offset)
  if (headBytes === position.headBytes) return position
  return { ...position, headBytes, head: await headOf(handle, headBytes) }
}

export const cursorOf = (position: FilePosition): Cursor => ({ ...position })

export function positionFrom({ file, offset, head, headBytes, skipping }: Cursor): FilePosition {
  return {
    file: String(file ?? ''),
    offset: Number(offset) || 0,
    head: String(head ?? ''),
    headBytes: Number(headBytes) || 0,
    skipping: skipping === true,
  }
}
