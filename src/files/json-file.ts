import { closeSync, fchmodSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CodedError } from '../domain/errors.ts'
import { isoTime } from '../text/iso-time.ts'
import { parseObject } from '../text/json-object.ts'

interface JsonFileOptions {
  readonly dir: string
  readonly name: string
  now(): number
  /** Called when the file cannot be used; it is renamed to `as`. */
  setAside(name: string, as: string): void
}

/**
 * Opens a JSON document for one writer. It is complete on disk at any moment: written to a second file, synced, and
 * renamed.
 */
export function openJsonFile({ dir, name, now, setAside }: JsonFileOptions): JsonFile {
  const path = join(dir, name)
  return {
    load() {
      const text = readIfAny(path)
      const document = text === undefined ? undefined : parseObject(text)
      if (text === undefined || document !== undefined) return document
      const as = `${name}.broken-${isoTime(now()).replaceAll(':', '-')}`
      withStorageErrors(path, () => renameSync(path, join(dir, as)))
      setAside(name, as)
      return undefined
    },
    save(document) {
      withStorageErrors(path, () => replace(path, JSON.stringify(document)))
    },
  }
}

function readIfAny(path: string): string | undefined {
  return withStorageErrors(path, () => {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return undefined
      throw error
    }
  })
}

const OWNER_ALONE = 0o600

function replace(path: string, text: string): void {
  const fresh = `${path}.tmp`
  const fd = openSync(fresh, 'w', OWNER_ALONE)
  try {
    // A file that a crash left behind keeps its mode.
    fchmodSync(fd, OWNER_ALONE)
    writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(fresh, path)
  const dir = openSync(dirname(path), 'r')
  try {
    fsyncSync(dir)
  } finally {
    closeSync(dir)
  }
}

function withStorageErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = (error as { code?: unknown }).code ?? String(error)
    const code = reason === 'ENOSPC' || reason === 'EDQUOT' ? 'storage_full' : 'storage_down'
    throw new CodedError(code, `${path} cannot be read or written (${reason}): check its owner, mode and disk`, {
      cause: error,
    })
  }
}

/** A JSON document on disk. */
export interface JsonFile {
  /**
   * Returns undefined when there is no file, or when it holds no JSON object; it is then set aside. Throws
   * `storage_full`, `storage_down`.
   */
  load(): { readonly [field: string]: unknown } | undefined
  /** Durable when it returns. Throws `storage_full`, `storage_down`; the file is then unchanged. */
  save(document: object): void
}
