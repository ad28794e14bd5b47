import type { StoreContext } from '../../engine/context.ts'
import { query } from '../../engine/statement.ts'
import type { NoiseState, RouteHits } from '../../ports/noise.ts'

interface NoiseStateDeps {
  destinations(): NoiseState['destinations']
  routeHits(): RouteHits
}

/** Opens the snapshot for metrics. */
export function openNoiseState({ db }: StoreContext, { destinations, routeHits }: NoiseStateDeps) {
  // Storms are numbered from 1, and the newest is always kept.
  const last = query<{ last: number | null }>(db, 'SELECT max(storm) AS last FROM bundles WHERE storm IS NOT NULL')
  return function state(): NoiseState {
    return { destinations: destinations(), digests: last.get()?.last ?? 0, ruleHits: routeHits().rules }
  }
}
