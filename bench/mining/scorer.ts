import { spawnSync } from 'node:child_process'

/**
 * Runs a Python scorer that comes with the data and returns its output; the caller reads the file that it writes.
 * Throws when it fails.
 */
export function score(script: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('python3', [script, ...args], { encoding: 'utf8' })
  if (error) throw new Error(`python3 is needed to run ${script}`, { cause: error })
  if (status !== 0) throw new Error(`${script} failed: ${stderr}`)
  return stdout
}

export const rounded = (value: number): number => Math.round(value * 1_000) / 1_000
