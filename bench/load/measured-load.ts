import type { Server } from '../servers/process.ts'
import { type LoadRequest, type LoadResult, load } from './closed-loop.ts'
import { type CpuUsage, startCpuUsage } from './cpu-usage.ts'

export type MeasuredLoad = LoadResult & CpuUsage

/** What a server answers, and what that costs it, after a second of the same to be warm (none: `cold`). */
export async function loadAndMeasure(
  server: Server,
  request: LoadRequest,
  start: 'warm' | 'cold' = 'warm',
): Promise<MeasuredLoad> {
  if (start === 'warm') await load({ ...request, seconds: 1 })
  const cpuUsage = startCpuUsage(server)
  const result = await load(request)
  return { ...result, ...cpuUsage(result.perSecond * request.seconds) }
}
