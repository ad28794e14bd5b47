import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'

/** What the figures were measured on. */
export function machine(): string {
  const { length, 0: first } = cpus()
  return `${length} x ${first?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, node ${process.version}`
}

/** Processes that wanted a core over the last minute: what else the machine does. */
export const load = () => Math.round((loadavg()[0] ?? 0) * 10) / 10

/** Of the project, as it is checked out; '' where that is not known. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}
