import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
export const CHART = join(import.meta.dirname, 'helm/tocsin')

/** Runs helm, from `go install` or from PATH. Throws an error with advice when there is none. */
export function helm(args: readonly string[], input?: string): SpawnSyncReturns<string> {
  const installed = join(process.env.GOBIN ?? join(process.env.GOPATH ?? join(homedir(), 'go'), 'bin'), 'helm')
  const program = existsSync(installed) ? installed : 'helm'
  const run = spawnSync(program, [...args], { cwd: ROOT, encoding: 'utf8', input })
  if (run.error) throw new Error('helm is missing: go install helm.sh/helm/v3/cmd/helm@v3.19.0', { cause: run.error })
  return run
}

/** Renders the chart with the given values. Throws the message of helm when it refuses them. */
export function render(release: string, values: object): string {
  const { status, stdout, stderr } = helm(['template', release, CHART, '--values', '-'], JSON.stringify(values))
  if (status !== 0) throw new Error(stderr)
  return stdout
}
