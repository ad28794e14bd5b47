import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Detects by device and inode that the database file was removed or replaced while it was open. SQLite would go on
 * writing into the file that no path leads to any more.
 */
export function openFileIdentity(db: DatabaseSync) {
  const path = db.location()
  const opened = path === null ? undefined : fileKeyOf(path)
  return {
    /** False when the file at the path is not the opened one. */
    unchanged: (): boolean => path === null || sameFile(fileKeyOf(path), opened),
  }
}

interface FileKey {
  readonly dev: bigint
  readonly ino: bigint
}

/** Returns undefined when there is no file. */
function fileKeyOf(path: string): FileKey | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

const sameFile = (one: FileKey | undefined, other: FileKey | undefined) =>
  one?.dev === other?.dev && one?.ino === other?.ino
