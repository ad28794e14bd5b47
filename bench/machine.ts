import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'

/** Processor, memory, kernel and Node version of this machine. */
export function machine(): string {
  const { length, 0: first } = cpus()
  return `${length} x ${first?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, node ${process.version}`
}

/** Load average of the last minute: processes that wanted a core. */
export const load = () => Math.round((loadavg()[0] ?? 0) * 10) / 10

/** Short hash of the checked-out commit; '' when git does not know it. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}
