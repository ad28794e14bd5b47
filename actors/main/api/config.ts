import type { EffectiveConfig } from '../../../src/api/config.ts'
import type { AdminAnswer, AdminRoute } from '../../../src/http/contract.ts'

/** What the service runs with. `notes`: what the running system says of it beside the loader's warnings. */
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
