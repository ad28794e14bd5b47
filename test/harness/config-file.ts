import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { SECRET } from './net/requests.ts'
import { PLACE } from './place.ts'

/** Removed when the process exits: everything that uses them has stopped by then. */
const folders: string[] = []
process.once('exit', () => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
})

/** Creates an empty folder that exists until the process exits. */
export function folder(): string {
  const dir = mkdtempSync(join(PLACE, 'tocsin-test-'))
  folders.push(dir)
  return dir
}

/** Options of a channel whose rate limit never delays a delivery. */
export const FAST = { concurrency: 16, rate: { per_second: 100_000, burst: 100_000 } }

export interface Overrides {
  readonly alert?: object
  readonly [section: string]: unknown
}

/** Writes a configuration with quick retries, a free port and data in `dir`; returns its path. */
export function configFile(dir: string, overrides: Overrides = {}): string {
  const file = join(dir, 'config.yaml')
  const base = {
    host: '127.0.0.1',
    port: 0,
    gateway_secret: SECRET,
    delivery: {
      attempts: 1000,
      backoff: { initial: '20ms', max: '200ms' },
      timeout: '5s',
      circuit: { failures: 1000 },
    },
    storage: { file: { data_dir: join(dir, 'data'), max_incidents: 100_000 } },
    log: { level: 'error' },
  }
  writeFileSync(file, stringify({ ...base, ...overrides }))
  return file
}
