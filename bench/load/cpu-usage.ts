import { type Measure, measure } from '../report.ts'
import type { Server } from '../servers/server.ts'

/** CPU time in microseconds for one unit of work. */
export interface CpuUsage {
  readonly cpuMicros: number
  readonly threads: { readonly [thread: string]: number }
}

/** Starts counting a server's CPU time. The returned function divides it by the units of work done since. */
export function startCpuUsage(server: Server): (units: number) => CpuUsage {
  const before = server.cpuSeconds()
  const threadsBefore = server.cpuSecondsByThread()
  return (units) => {
    const micros = (seconds: number) => (seconds * 1e6) / units
    const threads = Object.entries(server.cpuSecondsByThread()).map(
      ([name, seconds]) => [name, micros(seconds - (threadsBefore[name] ?? 0))] as const,
    )
    return { cpuMicros: micros(server.cpuSeconds() - before), threads: Object.fromEntries(threads) }
  }
}

/** One column per thread, and `all` for the process. */
export function threadColumns(samples: readonly CpuUsage[]): { readonly [thread: string]: Measure } {
  const names = [...new Set(samples.flatMap(({ threads }) => Object.keys(threads)))]
  const each = names.map((name) => {
    const micros = samples.map(({ threads }) => threads[name] ?? 0)
    return [name, measure(micros, 1)] as const
  })
  const all = samples.map(({ cpuMicros }) => cpuMicros)
  return { ...Object.fromEntries(each), all: measure(all, 1) }
}
