import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TrialOptions } from '../report.ts'

/** Content of a seeded database. */
export interface SeedSize {
  readonly incidents: number
  /** Incidents of these with a pending delivery on `chatws`, which is paused. */
  readonly pending: number
}

const SCRIPT = fileURLToPath(new URL('./seed.ts', import.meta.url))

/** Returns a data directory of that size. It is filled once in a run, by a process of its own. */
export async function seeded(
  { scratch, progress }: Pick<TrialOptions, 'scratch' | 'progress'>,
  { incidents, pending }: SeedSize,
): Promise<string> {
  const dir = join(scratch, `seed-${incidents}-${pending}`)
  if (existsSync(dir)) return dir
  const growing = `${dir}-growing`
  const args = ['--disable-warning=ExperimentalWarning', SCRIPT, growing, String(incidents), String(pending)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', progress)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the database could not be filled: exit code ${code}`)
  renameSync(growing, dir)
  return dir
}
