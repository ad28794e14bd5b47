import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withOtherDisks } from './disk-note.ts'
import { generatedDocs } from './docs/files.ts'
import type { Results } from './results.ts'
import { TRIALS } from './trial-list.ts'

const ROOT = join(import.meta.dirname, '..')
/** The figures of docs/performance.md; committed with it. */
const PUBLISHED = join(ROOT, 'bench/published.json')

export const published = () => JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Results

/**
 * Replaces published trials by those of this run, except trials that failed, and writes the documents anew. Tables of
 * another disk, which another note tells, stay.
 */
export function publish({ machine, trials }: Results, note: string): void {
  const before = published().trials
  const whole = Object.entries(trials).filter(([, { errors }]) => errors.length === 0)
  const merged = whole.map(([name, result]) => [name, withOtherDisks(result, { before: before[name], note })] as const)
  const known = { ...before, ...Object.fromEntries(merged) }
  const inOrder = Object.keys(TRIALS).flatMap((name) => (known[name] ? [[name, known[name]] as const] : []))
  const all: Results = { machine, trials: Object.fromEntries(inOrder) }
  writeFileSync(PUBLISHED, `${JSON.stringify(all, null, 1)}\n`)
  writeDocs(all)
}

/** Writes every generated document. */
export function writeDocs(results: Results): void {
  for (const [path, text] of Object.entries(generatedDocs(results))) {
    const file = join(ROOT, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
