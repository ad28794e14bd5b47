import { hash } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A file that is open, known by its inode whatever it is called by now. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly inode: string
  readonly size: number
  readonly modifiedMs: number
}

/** Enough to tell one log from another that was given the same inode. */
export const HEAD_BYTES = 256

/** Undefined: there is no such file. */
export async function openFile(path: string): Promise<OpenFile | undefined> {
  const handle = await open(path, 'r').catch(absent)
  return handle && statOpenFile(handle)
}

export async function statOpenFile(handle: FileHandle): Promise<OpenFile> {
  const { ino, size, mtimeNs } = await handle.stat({ bigint: true })
  return { handle, inode: String(ino), size: Number(size), modifiedMs: Number(mtimeNs / 1000n) / 1000 }
}

/** Of the first `bytes` of the file; '' for none. */
export async function headOf(handle: FileHandle, bytes: number): Promise<string> {
  if (bytes === 0) return ''
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
  return bytesRead < bytes ? 'short' : hash('sha256', buffer).slice(0, 16)
}

const ROTATED = /^[.-]\d[\dTZ._:-]*$/
const MAX_SIBLINGS = 200

interface Sibling {
  readonly path: string
  readonly inode: string
  readonly modifiedMs: number
}

/** Earlier files of the log that are kept beside it, oldest first; compressed ones have other names and are left out. */
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
