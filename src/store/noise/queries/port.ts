import type { NoisePort } from '../../ports/noise.ts'
import type { NoiseParts } from '../noise.ts'
import { openDecided, openRouteHits } from './decisions.ts'
import { openBounded, openDestinationStates } from './destinations.ts'
import { openDigestDetail, openDigestList } from './digests.ts'
import { openHistory } from './history.ts'
import { openPlaces } from './places.ts'
import { openNoiseState } from './state.ts'

export function openNoisePort(context: NoiseParts): NoisePort {
  const { pages, bundles } = context
  const routeHits = openRouteHits(context)
  const destinations = openDestinationStates(context)
  return {
    digests: openDigestList(context),
    digest: openDigestDetail(context),
    places: openPlaces(context),
    destinations,
    bounded: openBounded(context),
    routeHits,
    tryRepeat: (trial) => bundles.tryRepeat(trial, pages.choose),
    decided: openDecided(context),
    state: openNoiseState(context, { destinations, routeHits }),
    history: openHistory(context),
  }
}
