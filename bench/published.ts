import { readFileSync, writeFileSync } from 'node:fs'
import { performanceSection, withSection } from './readme.ts'
import type { TrialResult } from './run-trial.ts'
import { TRIALS } from './trials/index.ts'

/** All that a run came to. */
export interface Results {
  readonly machine: string
  readonly trials: { readonly [name: string]: TrialResult }
}

/** The figures that the README shows; committed with it. */
const PUBLISHED = new URL('./published.json', import.meta.url)
const README = new URL('../README.md', import.meta.url)

export const published = () => JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Results

/** Trials of this run take the place of earlier ones of their name, and the README tells of all. Those that failed are not taken. */
export function publish({ machine, trials }: Results): void {
  const whole = Object.entries(trials).filter(([, { errors }]) => errors.length === 0)
  const known = { ...published().trials, ...Object.fromEntries(whole) }
  const inOrder = Object.keys(TRIALS).flatMap((name) => (known[name] ? [[name, known[name]] as const] : []))
  const all: Results = { machine, trials: Object.fromEntries(inOrder) }
  writeFileSync(PUBLISHED, `${JSON.stringify(all, null, 1)}\n`)
  writeFileSync(README, withSection(readFileSync(README, 'utf8'), performanceSection(all)))
}
