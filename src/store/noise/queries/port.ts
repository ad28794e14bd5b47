import type { Bundles } from '../../bundles/open.ts'
import type { Storms } from '../../bundles/storms.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { IdempotencyKeys } from '../../journal/idempotency.ts'
import type { Payloads } from '../../journal/payloads.ts'
import type { Pages } from '../../pages/pages.ts'
import type { NoisePort } from '../../ports/noise.ts'
import { openDecided, openRouteHits } from './decisions.ts'
import { openBounded, openDestinationStates } from './destinations.ts'
import { openDigestDetail, openDigestList } from './digests.ts'
import { openHistory } from './history.ts'
import { openPlaces } from './places.ts'
import { openNoiseState } from './state.ts'

interface NoisePortDeps {
  readonly storms: Storms
  readonly bundles: Pick<Bundles, 'tryRepeat' | 'tallies'>
  readonly pages: Pick<Pages, 'choose'>
  readonly keys: IdempotencyKeys
  readonly payloads: Payloads
}

export function openNoisePort(
  context: StoreContext,
  { storms, bundles, pages, keys, payloads }: NoisePortDeps,
): NoisePort {
  const routeHits = openRouteHits(context)
  const destinations = openDestinationStates(context, storms)
  return {
    digests: openDigestList(context, storms),
    digest: openDigestDetail(context, { storms, tallies: bundles.tallies }),
    places: openPlaces(context),
    destinations,
    bounded: openBounded(context, storms),
    routeHits,
    tryRepeat: (trial) => bundles.tryRepeat(trial, pages.choose),
    decided: openDecided(context, keys),
    state: openNoiseState(context, { destinations, routeHits }),
    history: openHistory(context, payloads),
  }
}
