export interface Rate {
  readonly perSecond: number
  /** CPU time of all threads per unit; other processes hardly change it. */
  readonly cpuMicros: number
  /** Time per unit in which this thread's event loop was at work. */
  readonly busyMicros: number
}

/** Does some work and returns the number of units. */
export type Work = () => number | Promise<number>

const WARM_UP_SHARE = 0.4

/** Repeats the work for `durationMs`, after a warm-up of 40 % of that time. */
export async function rate(durationMs: number, work: Work): Promise<Rate> {
  await repeat(durationMs * WARM_UP_SHARE, work)
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  const { count, tookMs } = await repeat(durationMs, work)
  const { user, system } = process.cpuUsage(cpu)
  const { active } = performance.eventLoopUtilization(loop)
  return {
    perSecond: (count / tookMs) * 1_000,
    cpuMicros: (user + system) / count,
    busyMicros: (active / count) * 1_000,
  }
}

async function repeat(durationMs: number, work: Work): Promise<{ count: number; tookMs: number }> {
  const startMs = performance.now()
  let count = 0
  let tookMs = 0
  for (; tookMs < durationMs; tookMs = performance.now() - startMs) count += await work()
  return { count, tookMs }
}
