import type { Server } from '../servers/server.ts'
import { type LoadRequest, type LoadResult, loadClosed } from './closed-loop.ts'
import { type CpuUsage, startCpuUsage } from './cpu-usage.ts'

export type MeasuredLoad = LoadResult & CpuUsage

/**
 * Loads a server in a closed loop and measures its CPU time; `warm`: after one second of the same load that does not
 * count.
 */
export async function loadAndMeasure(
  server: Server,
  request: LoadRequest,
  start: 'warm' | 'cold' = 'warm',
): Promise<MeasuredLoad> {
  if (start === 'warm') await loadClosed({ ...request, seconds: 1 })
  const cpuUsage = startCpuUsage(server)
  const result = await loadClosed(request)
  return { ...result, ...cpuUsage(result.perSecond * request.seconds) }
}
