import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { setTimeout } from 'node:timers/promises'

/** Processor, memory, kernel and Node version of this machine. */
export function machine(): string {
  const { length, 0: first } = cpus()
  return `${length} x ${first?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, node ${process.version}`
}

/** Load average of the last minute: processes that wanted a core. */
export const load = () => Math.round((loadavg()[0] ?? 0) * 10) / 10

/** Load from which figures are rough, and are not published. */
export const BUSY = 1
/** Longest wait for the load of the trial before to pass. */
const QUIET_WAIT_MS = 5 * 60_000
const LOOK_EVERY_MS = 5_000

/** Waits until the load is below `BUSY`. Resolves with false when it is not after five minutes. */
export async function quiet(): Promise<boolean> {
  for (const began = performance.now(); load() >= BUSY; await setTimeout(LOOK_EVERY_MS))
    if (performance.now() - began > QUIET_WAIT_MS) return false
  return true
}

/** Short hash of the checked-out commit; '' when git does not know it. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}
