import type { AdminRoute } from '../../../src/http/contract.ts'
import type { Snapshot } from '../../../src/telemetry/snapshot.ts'
import { statsOf } from '../../../src/telemetry/stats.ts'

/** `GET /api/admin/stats`: the whole system as one JSON object. */
export function statsRoute(observe: () => Promise<Snapshot>): AdminRoute {
  return {
    method: 'GET',
    path: '/api/admin/stats',
    answer: async () => ({ status: 200, json: statsOf(await observe()) }),
  }
}
