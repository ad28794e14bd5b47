import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/**
 * The calls to the disk that the journal makes. Each throws the error of node:fs with its `code`. Tests record them,
 * tear writes and make calls fail.
 */
export interface Files {
  /** Creates a directory with mode 0700 and syncs its parent; leaves an existing one as it is. */
  makeDirectory(path: string): void
  list(directory: string): readonly string[]
  /** `create`: a new file with mode 0600. */
  open(path: string, mode: 'read' | 'write' | 'create'): number
  size(file: number): number
  /** Identity of the file at the path: it changes when another file takes its place. Undefined: there is none. */
  identity(path: string): number | undefined
  /** Returns the number of bytes read: fewer than asked for at the end of the file. */
  read(file: number, into: Uint8Array, position: number): number
  /** Returns the number of bytes written, which may be fewer than given. */
  write(file: number, buffers: readonly Uint8Array[], position: number): number
  /** `fdatasync`. */
  sync(file: number): void
  syncDirectory(path: string): void
  /** `write`, `sync` and `syncDirectory` that do not block the thread. */
  writeLater(file: number, buffer: Uint8Array, position: number): Promise<number>
  syncLater(file: number): Promise<void>
  syncDirectoryLater(path: string): Promise<void>
  rename(from: string, to: string): void
  remove(path: string): void
  close(file: number): void
}

const FLAGS = { read: 'r', write: 'r+', create: 'wx+' } as const
const OWNER_ALONE = 0o600

const writeAsync = promisify(fs.write)
const syncAsync = promisify(fs.fsync)
const syncDataAsync = promisify(fs.fdatasync)

/** The file system of the machine. */
export const nodeFiles: Files = {
  makeDirectory(path) {
    const created = fs.mkdirSync(path, { recursive: true, mode: 0o700 })
    if (created !== undefined) nodeFiles.syncDirectory(dirname(created))
  },
  list: (directory) => fs.readdirSync(directory),
  open: (path, mode) => fs.openSync(path, FLAGS[mode], OWNER_ALONE),
  size: (file) => fs.fstatSync(file).size,
  identity: (path) => fs.statSync(path, { throwIfNoEntry: false })?.ino,
  read: (file, into, position) => fs.readSync(file, into, 0, into.length, position),
  write: (file, buffers, position) => fs.writevSync(file, buffers as Uint8Array[], position),
  sync: (file) => fs.fdatasyncSync(file),
  syncDirectory(path) {
    const file = fs.openSync(path, 'r')
    try {
      fs.fsyncSync(file)
    } finally {
      fs.closeSync(file)
    }
  },
  writeLater: async (file, buffer, position) =>
    (await writeAsync(file, buffer, 0, buffer.length, position)).bytesWritten,
  syncLater: (file) => syncDataAsync(file),
  async syncDirectoryLater(path) {
    const file = fs.openSync(path, 'r')
    try {
      await syncAsync(file)
    } finally {
      fs.closeSync(file)
    }
  },
  rename: (from, to) => fs.renameSync(from, to),
  remove: (path) => fs.unlinkSync(path),
  close: (file) => fs.closeSync(file),
}

/** Writes all bytes of the buffers from `position` on; goes on after a short write. */
export function writeWhole(files: Files, file: number, buffers: readonly Uint8Array[], position: number): void {
  let rest = buffers
  let at = position
  while (rest.length > 0) {
    const written = files.write(file, rest, at)
    if (written === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' })
    at += written
    rest = withoutFirst(rest, written)
  }
}

function withoutFirst(buffers: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes
  for (const [at, buffer] of buffers.entries()) {
    if (left < buffer.length) return [buffer.subarray(left), ...buffers.slice(at + 1)]
    left -= buffer.length
  }
  return []
}

/** Reads up to `into.length` bytes from `position` on. Returns the part of `into` that the file had bytes for. */
export function readWhole(files: Files, file: number, into: Uint8Array, position: number): Uint8Array {
  let length = 0
  while (length < into.length) {
    const read = files.read(file, into.subarray(length), position + length)
    if (read === 0) break
    length += read
  }
  return into.subarray(0, length)
}
