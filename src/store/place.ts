import { statSync } from 'node:fs'
import type { Tools } from './tools.ts'

/** A look costs microseconds, a commit under load not much more. */
const LOOK_EVERY_MS = 200

/**
 * Tells whether the database is still where it was opened. One whose directory was removed or replaced takes writes as before, and nobody will
 * ever read them. As of at most 200 ms ago.
 */
export function openPlace({ db, now }: Pick<Tools, 'db' | 'now'>): () => boolean {
  const path = db.location()
  const opened = path === null ? undefined : fileAt(path)
  let lookedAt = now()
  let there = true
  return () => {
    if (path === null || Math.abs(now() - lookedAt) < LOOK_EVERY_MS) return there
    lookedAt = now()
    there = fileAt(path) === opened
    return there
  }
}

/** What tells one file from another; undefined: there is none. */
function fileAt(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
