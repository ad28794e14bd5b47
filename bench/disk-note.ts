import { statfsSync } from 'node:fs'
import type { TrialResult } from './run-trial.ts'

const TMPFS = 0x01021994
const NOTE = /; data (?:on|in) \S+$/

/** Returns the end of the titles of tables that were measured with the data directories in `dir`. */
export const diskNote = (dir: string) => (statfsSync(dir).type === TMPFS ? '; data on tmpfs' : `; data in ${dir}`)

/** Returns that end of a title; '' when the table was measured on the usual disk. */
const noteOf = (title: string) => NOTE.exec(title)?.[0] ?? ''

/**
 * Returns a result with the tables that were measured on other disks before. Tables of the usual disk come first.
 */
export function withOtherDisks(
  result: TrialResult,
  { before, note }: { readonly before: TrialResult | undefined; readonly note: string },
): TrialResult {
  const others = Object.entries(before?.tables ?? {}).filter(([title]) => noteOf(title) !== note)
  const tables = [...Object.entries(result.tables), ...others].sort(
    ([one], [other]) => Number(noteOf(one) !== '') - Number(noteOf(other) !== ''),
  )
  return { ...result, tables: Object.fromEntries(tables) }
}
