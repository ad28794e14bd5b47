import type { Server } from '../servers/server.ts'
import { type LoadRequest, type LoadResult, loadClosed } from './closed-loop.ts'
import { type CpuUsage, startCpuUsage } from './cpu-usage.ts'

/** Far from those of the load that counts. */
const WARM_SERIAL = 50_000_000

export type MeasuredLoad = LoadResult & CpuUsage

/**
 * Loads a server in a closed loop and measures its CPU time; `warm`: after the same load for twice as long, which does
 * not count: within some 4 s V8 compiles what is hot.
 */
export async function loadAndMeasure(
  server: Server,
  request: LoadRequest,
  start: 'warm' | 'cold' = 'warm',
): Promise<MeasuredLoad> {
  if (start === 'warm') await loadClosed({ ...request, serial: WARM_SERIAL, seconds: 2 * request.seconds })
  const cpuUsage = startCpuUsage(server)
  const result = await loadClosed(request)
  return { ...result, ...cpuUsage(result.perSecond * request.seconds) }
}
