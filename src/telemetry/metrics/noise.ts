import { counter, each, type Family } from './family.ts'

/** Routes. */
export const NOISE: readonly Family[] = [
  counter('tocsin_route_hits_total', 'Incidents that a rule of routes matched.', ({ storage }) =>
    each('rule', storage?.ruleHits ?? []),
  ),
]
