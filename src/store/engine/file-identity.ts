import { statSync } from 'node:fs'
import type { StoreContext } from './context.ts'

/** Whether the database is still where it was opened. One whose directory was removed or replaced takes writes as before, and nobody will ever read them. */
export interface FileIdentity {
  /** Looks, once between two calls of `forget`. */
  unchanged(): boolean
  /** For the beginning of a transaction: a look costs half a microsecond, which an incident alone need not pay. */
  recheck(): void
}

export function openFileIdentity({ db }: Pick<StoreContext, 'db'>): FileIdentity {
  const path = db.location()
  const opened = path === null ? undefined : fileKeyOf(path)
  let same: boolean | undefined
  return {
    unchanged() {
      same ??= path === null || sameFile(fileKeyOf(path), opened)
      return same
    },
    recheck() {
      same = undefined
    },
  }
}

interface FileKey {
  readonly dev: bigint
  readonly ino: bigint
}

/** Undefined: there is none. */
function fileKeyOf(path: string): FileKey | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

const sameFile = (one: FileKey | undefined, other: FileKey | undefined) =>
  one?.dev === other?.dev && one?.ino === other?.ino
