import { hash } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Cursor } from './contract.ts'
import type { ChunkRead } from './multiline.ts'

/** An open file, identified by its inode because it may be renamed. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly inode: string
  readonly size: number
  readonly modifiedMs: number
}

/** Number of first bytes that are hashed to tell a file from a new one with the same inode. */
const HEAD_BYTES = 256

/** Opens a file. Returns undefined when it does not exist. The caller closes the handle. */
export async function openFile(path: string): Promise<OpenFile | undefined> {
  const handle = await open(path, 'r').catch(absent)
  return handle && statOpenFile(handle)
}

export async function statOpenFile(handle: FileHandle): Promise<OpenFile> {
  const { ino, size, mtimeNs } = await handle.stat({ bigint: true })
  return { handle, inode: String(ino), size: Number(size), modifiedMs: Number(mtimeNs / 1000n) / 1000 }
}

/** Returns a hash of the first `bytes` bytes; '' for zero bytes, `short` when the file is shorter. */
async function headOf(handle: FileHandle, bytes: number): Promise<string> {
  if (bytes === 0) return ''
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
  return bytesRead < bytes ? 'short' : hash('sha256', buffer).slice(0, 16)
}

const ROTATED = /^[.-]\d[\dTZ._:-]*$/
const MAX_SIBLINGS = 200

type Sibling = Pick<OpenFile, 'inode' | 'modifiedMs'> & { readonly path: string }

/**
 * Returns the rotated files beside the log, oldest first: its name with a number or date appended. Compressed files are
 * left out.
 */
export async function rotatedFiles(path: string): Promise<Sibling[]> {
  const dir = dirname(path)
  const name = basename(path)
  const names = await readdir(dir).catch(() => [])
  const ours = names.filter((other) => other.startsWith(name) && ROTATED.test(other.slice(name.length)))
  const found = await Promise.all(ours.slice(0, MAX_SIBLINGS).map((other) => sibling(join(dir, other))))
  return found.flatMap((each) => (each ? [each] : [])).sort((a, b) => a.modifiedMs - b.modifiedMs)
}

async function sibling(path: string): Promise<Sibling | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  if (!found?.isFile()) return undefined
  return { path, inode: String(found.ino), modifiedMs: Number(found.mtimeNs / 1000n) / 1000 }
}

function absent(error: unknown): undefined {
  if ((error as { code?: unknown }).code === 'ENOENT') return undefined
  throw error
}

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
