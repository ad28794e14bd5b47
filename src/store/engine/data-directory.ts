import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { CodedError } from '../../domain/errors.ts'

/**
 * Creates the data directory with mode 0700 and syncs its parent; an existing one is left as it is. Throws
 * `storage_full`, `storage_down`.
 */
export function makeDirectory(dataDir: string): void {
  withStorageErrors(dataDir, () => {
    const created = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (created !== undefined) for (const directory of [dataDir, dirname(created)]) syncDirectory(directory)
  })
}

/** Runs `work`, which writes into the data directory, and turns its failures into `storage_full` or `storage_down`. */
export function withStorageErrors<T>(dataDir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new CodedError(
      reason === 'ENOSPC' ? 'storage_full' : 'storage_down',
      `the data directory ${dataDir} cannot be written (${reason}): check its owner, mode and disk`,
      { cause: error },
    )
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
