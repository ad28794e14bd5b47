import { statSync } from 'node:fs'
import type { Tools } from './context.ts'

/** Whether the database is still where it was opened. One whose directory was removed or replaced takes writes as before, and nobody will ever read them. */
export interface Place {
  /** Looks, once between two calls of `forget`. */
  isThere(): boolean
  /** For the beginning of a transaction: a look costs half a microsecond, which an incident alone need not pay. */
  forget(): void
}

export function openPlace({ db }: Pick<Tools, 'db'>): Place {
  const path = db.location()
  const opened = path === null ? undefined : fileAt(path)
  let there: boolean | undefined
  return {
    isThere() {
      there ??= path === null || sameFile(fileAt(path), opened)
      return there
    },
    forget() {
      there = undefined
    },
  }
}

interface File {
  readonly dev: bigint
  readonly ino: bigint
}

/** Undefined: there is none. */
function fileAt(path: string): File | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

const sameFile = (one: File | undefined, other: File | undefined) => one?.dev === other?.dev && one?.ino === other?.ino
