import type { NoiseState, RouteHits } from '../../ports/noise.ts'

/** Opens the snapshot for metrics. */
export function openNoiseState({ routeHits }: { routeHits(): RouteHits }) {
  return function state(): NoiseState {
    return { ruleHits: hitsByRule(routeHits()) }
  }
}

function hitsByRule({ decisions }: RouteHits): [rule: string, hits: number][] {
  const byRule = new Map<string, number>()
  for (const { decision, hits } of decisions)
    for (const { name } of decision.rules) byRule.set(name, (byRule.get(name) ?? 0) + hits)
  return [...byRule]
}
