import { cpus, loadavg, release, totalmem } from 'node:os'

/** What the figures were measured on. */
export function machine(): string {
  const { length, 0: first } = cpus()
  return `${length} x ${first?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, node ${process.version}`
}

/** Processes that wanted a core over the last minute: what else the machine does. */
export const load = () => Math.round((loadavg()[0] ?? 0) * 10) / 10
