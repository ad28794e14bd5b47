import type { ChunkRead } from './chunk-reader.ts'
import type { Cursor } from './contract.ts'
import { HEAD_BYTES, headOf, type OpenFile } from './rotation.ts'

/** Where a file is being read. */
export interface FilePosition {
  /** Inode; '' while there is no file. */
  readonly file: string
  readonly offset: number
  /** Hash of the first `headBytes` bytes: a file that begins otherwise is another one, whatever its inode. */
  readonly head: string
  readonly headBytes: number
  /** In the middle of a line too long to be read. */
  readonly skipping: boolean
}

export const NO_FILE: FilePosition = { file: '', offset: 0, head: '', headBytes: 0, skipping: false }

export const atStart = ({ inode }: OpenFile): FilePosition => ({ ...NO_FILE, file: inode })

export const advance = (from: FilePosition, { consumed, skipping }: ChunkRead): FilePosition => ({
  ...from,
  offset: from.offset + consumed,
  skipping,
})

/** A file that is shorter than what was read of it, or begins otherwise, has been written anew. */
export async function isSameFile(file: OpenFile, { offset, head, headBytes }: FilePosition): Promise<boolean> {
  return file.size >= offset && (await headOf(file.handle, headBytes)) === head
}

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
