import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withOtherDisks } from './disk-note.ts'
import { generatedDocs } from './docs/files.ts'
import { BUSY } from './machine.ts'
import type { Results } from './results.ts'
import { TRIALS } from './trial-list.ts'

const ROOT = join(import.meta.dirname, '..')
/** The figures of docs/performance.md; committed with it. */
const PUBLISHED = join(ROOT, 'bench/published.json')

export const published = () => JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Results

/**
 * Replaces published trials by those of this run, and writes the documents anew. Trials that failed, or that began on a
 * busy machine, stay as they were. Tables of another disk, which another note tells, stay. Curves are not published.
 *
 * @returns The names of the trials that were replaced.
 */
export function publish({ machine, trials }: Results, note: string): string[] {
  const before = published().trials
  const sound = Object.entries(trials).filter(([, { errors, load }]) => errors.length === 0 && load < BUSY)
  const merged = sound.map(
    ([name, result]) => [name, { ...withOtherDisks(result, { before: before[name], note }), curves: [] }] as const,
  )
  const known = { ...before, ...Object.fromEntries(merged) }
  const inOrder = Object.keys(TRIALS).flatMap((name) => (known[name] ? [[name, known[name]] as const] : []))
  const all: Results = { machine, trials: Object.fromEntries(inOrder) }
  writeFileSync(PUBLISHED, json(all))
  writeDocs(all)
  return sound.map(([name]) => name)
}

/** Returns the results as JSON, with each figure on one line. */
const json = (results: Results) =>
  `${JSON.stringify(results, null, 1).replace(/\{\s+"median"[^{}]*(\{[^{}]*\})?[^{}]*\}/g, (figure) => figure.replace(/\s+/g, ' '))}\n`

/** Writes every generated document. */
export function writeDocs(results: Results): void {
  for (const [path, text] of Object.entries(generatedDocs(results))) {
    const file = join(ROOT, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
