import { mkdirSync, renameSync, rmSync } from 'node:fs'
import type { Path } from '../../config/config-error.ts'

/** Notes something without a counterpart, and what to do. */
export type TakeNote = (path: Path, message: string) => void

/** Something without a counterpart, and what to do. */
interface Note {
  /** File and line. */
  readonly where: string
  readonly path: string
  readonly message: string
}

/** Result of an import of the files of another program. */
export interface Imported {
  /** Our configuration, with references as they are written. */
  readonly tree: { [key: string]: unknown }
  /** Comments by the dotted path of the key below them. */
  readonly comments: Map<string, string>
  readonly notes: Note[]
  /** Files to copy, by their name among our templates. */
  readonly templates: Map<string, string>
}

/** Writes a new folder under another name first, so that it is there with all its files or not at all. */
export function writeFolder<T>(target: string, fill: (partial: string) => T): T {
  const partial = `${target}.partial-${process.pid}`
  try {
    mkdirSync(partial, { recursive: true })
    const filled = fill(partial)
    renameSync(partial, target)
    return filled
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}
