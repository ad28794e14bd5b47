import { randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../domain/errors.ts'

const BYTES = 32
const OWNER_ALONE = 0o600
const OTHERS = 0o077

/**
 * Returns the key that signs acknowledge links, from `<dataDir>/ack.key`, so that links outlive restarts. Creates the
 * file if there is none. Throws storage_down.
 */
export function openKey(dataDir: string): Uint8Array {
  const path = pathOf(dataDir)
  return orStorageDown(path, () => read(path) ?? createKey(dataDir, path))
}

/**
 * Returns a function that reads the key: undefined while there is no file, because no link was made yet. It reads the file
 * each time, which may have been replaced from a backup; one that was deleted holds on. The function throws storage_down.
 */
export function existingKey(dataDir: string): () => Uint8Array | undefined {
  const path = pathOf(dataDir)
  let key: Uint8Array | undefined
  return () => {
    key = orStorageDown(path, () => read(path)) ?? key
    return key
  }
}

const pathOf = (dataDir: string) => join(dataDir, 'ack.key')

function orStorageDown<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CodedError) throw error
    const reason = error instanceof Error && 'code' in error ? error.code : error
    const message = `the key of the acknowledge links, ${path}, cannot be read or created (${reason}): check its owner, mode and disk`
    throw new CodedError('storage_down', message, { cause: error })
  }
}

function read(path: string): Uint8Array | undefined {
  try {
    // A user that can read the key can forge links. A file that was restored from a backup may have a wider mode.
    if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, OWNER_ALONE)
    const key = readFileSync(path)
    if (key.length === BYTES) return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const message = `${path} does not hold ${BYTES} bytes: restore the right file, or delete it; then no link that was sent so far works`
  throw new CodedError('storage_down', message)
}

/** Creates the key file atomically: a crash leaves no half of it, and of two concurrent calls the first one counts. */
function createKey(dataDir: string, path: string): Uint8Array {
  const temporary = `${path}.${randomUUID()}`
  write(temporary, randomBytes(BYTES))
  try {
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
  sync(dataDir)
  return readFileSync(path)
}

function write(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, 'wx', OWNER_ALONE)
  try {
    writeSync(fd, bytes)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function sync(directory: string): void {
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
