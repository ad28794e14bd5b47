import type { EffectiveConfig } from '../../../src/api/config.ts'
import type { AdminAnswer, AdminRoute } from '../../../src/http/contract.ts'

/** Shows the effective configuration. `notes`: warnings of the running system, shown beside the loader's. */
export function configRoute(shown: () => EffectiveConfig, notes: () => readonly string[]): AdminRoute {
  return {
    method: 'GET',
    path: '/api/admin/config',
    async answer(): Promise<AdminAnswer<EffectiveConfig>> {
      const { config, origins, warnings } = shown()
      return { status: 200, json: { config, origins, warnings: [...warnings, ...notes()] } }
    },
  }
}
