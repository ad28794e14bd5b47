import type { Path } from './config-error.ts'
import { valueAt } from './messages.ts'

/** An error or a warning about one key. */
export interface Issue {
  readonly path: Path
  readonly message: string
}

/** Reads one value of the effective configuration by its dotted path. The value may be invalid. */
export type Lookup = (path: string) => unknown

export const getter =
  (effective: unknown): Lookup =>
  (path) =>
    valueAt(effective, path.split('.'))

/** Returns the value if it is a list, else an empty list. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns true for undefined, null, empty text and an empty list. */
export function empty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
