export interface Rate {
  readonly perSecond: number
  /** Of all threads: hardly moved by what else the machine does. */
  readonly cpuMicros: number
  /** How long this thread was at work. */
  readonly busyMicros: number
}

/** Does some work; tells how often. */
export type Work = () => number | Promise<number>

const WARM_UP_SHARE = 0.4

/** Works for the given time, and a share of it beforehand to be warm. */
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
