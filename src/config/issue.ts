import type { Path } from './fault.ts'
import { valueAt } from './messages.ts'

/** Something that only several keys together show. */
export interface Issue {
  readonly path: Path
  readonly message: string
}

/** Reads one value of the effective configuration by its dotted path; validation may not have passed yet. */
export type Lookup = (path: string) => unknown

export const getter =
  (effective: unknown): Lookup =>
  (path) =>
    valueAt(effective, path.split('.'))

/** The value if it is a list, else an empty one. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Whether a key holds nothing that could be used. */
export function empty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
