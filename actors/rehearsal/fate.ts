import { destinationName } from '../../src/domain/delivery/delivery.ts'
import type { Fate } from '../../src/store/noise/queries/rehearsed.ts'

type FateDelivery = Fate['deliveries'][number]

/** Deliveries that were told, or will be: a silence that ends later than the rehearsal tells what it holds then. */
const isTold = ({ state }: FateDelivery) => state !== 'silenced' && state !== 'skipped' && state !== 'dead'

/** True when the on-call person learns of the incident, by its own page or by that of its problem. */
export const pages = ({ paged, joined }: Fate): boolean => paged || joined

/** Returns the destinations that are told of the incident, sorted, and whom it pages: `on-call`, or those of an escalation. */
export const audienceOf = (fate: Fate): readonly string[] => [...toldOf(fate), ...pagedOf(fate)]

export const toldOf = (fate: Fate): readonly string[] => fate.deliveries.filter(isTold).map(destinationName).sort()

function pagedOf(fate: Fate): readonly string[] {
  if (!pages(fate)) return []
  return fate.asked.length === 0 ? ['on-call'] : fate.asked.map((name) => `on-call:${name}`)
}

export const isToldToNobody = (fate: Fate): boolean => fate.deliveries.length === 0 && !pages(fate)

/** A silence keeps the incident from everybody, for good. */
export const isHeldForGood = (fate: Fate): boolean =>
  audienceOf(fate).length === 0 && fate.deliveries.some(({ state }) => state === 'silenced')
