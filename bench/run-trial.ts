import { errorStack } from '../src/text/error-text.ts'
import type { CaseRequest } from './case-protocol.ts'
import { commit, load, machine } from './machine.ts'
import type { Curve, Row, Tables, Trial } from './report.ts'
import { type CaseDeps, runCase } from './run-case.ts'

/** Result of a trial, as published. */
export interface TrialResult {
  /** ISO 8601. */
  readonly at: string
  readonly commit: string
  readonly machine: string
  /** Load of the machine before the trial. */
  readonly load: number
  readonly quick: boolean
  readonly seconds: number
  readonly tables: Tables
  readonly curves: readonly Curve[]
  readonly leftOut: string
  /** One entry for each failed case. */
  readonly errors: readonly string[]
}

interface TrialDeps extends CaseDeps {
  /** Added to the title of every table. */
  readonly note?: string
}

/**
 * Runs the cases one after the other, each in a fresh process. Never rejects: failures are listed in `errors`, and the
 * other cases run.
 */
export async function runTrial(
  module: string,
  options: CaseRequest['options'],
  { deadline, progress, note = '' }: TrialDeps,
): Promise<TrialResult> {
  const began = performance.now()
  const facts = {
    at: new Date().toISOString(),
    commit: commit(),
    machine: machine(),
    load: load(),
    quick: options.quick,
  }
  const tables: { [title: string]: Row[] } = {}
  const curves: Curve[] = []
  const errors: string[] = []
  let leftOut = ''
  try {
    const trial = (await import(module)) as Trial
    leftOut = trial.leftOut?.(options) ?? ''
    const count = (trial.cases?.(options) ?? [{}]).length
    for (let at = 0; at < count; at++) {
      const nth = count > 1 ? `${at + 1}/${count} ` : ''
      const outcome = await runCase(
        { module, at, options },
        { deadline, progress: (what) => progress(`${nth}${what}`) },
      )
      if (outcome.kind === 'failed') errors.push(`${nth}${outcome.error}`)
      else {
        curves.push(...outcome.curves)
        for (const [title, rows] of Object.entries(outcome.tables))
          tables[title + note] = [...(tables[title + note] ?? []), ...rows]
      }
    }
  } catch (error) {
    errors.push(errorStack(error))
  }
  const seconds = Math.round((performance.now() - began) / 100) / 10
  return { ...facts, seconds, tables, curves, leftOut, errors }
}
