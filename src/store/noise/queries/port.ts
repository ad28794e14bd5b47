import type { RepeatTrial } from '../../ports/noise.ts'
import type { NoiseParts } from '../noise.ts'
import { openDecided, openRouteHits } from './decisions.ts'
import { openBounded, openDestinationStates } from './destinations.ts'
import { openDigestDetail, openDigestList, openPlaces } from './digests.ts'
import { openHistory } from './history.ts'

/** Reads about digests, destinations and decisions. Store thread. */
export function openNoisePort(context: NoiseParts) {
  const { db, pages, bundles } = context
  // Storms are numbered from 1, and the newest is always kept.
  const last = db.query<{ last: number | null }>('SELECT max(storm) AS last FROM bundles WHERE storm IS NOT NULL')
  const routeHits = openRouteHits(context)
  const destinations = openDestinationStates(context)
  return {
    digests: openDigestList(context),
    digest: openDigestDetail(context),
    places: openPlaces(context),
    destinations,
    /** Returns the destination with a number, and its bound; undefined: none. O(1). */
    bounded: openBounded(context),
    routeHits,
    /** Returns how an incident would stand to its problem if it was committed now; undefined: it is a message like any other. */
    tryRepeat: (trial: RepeatTrial) => bundles.tryRepeat(trial, pages.choose),
    decided: openDecided(context),
    /** Snapshot for metrics. */
    state: () => ({
      destinations: destinations(),
      /** Digests since the database was made. */
      digests: last.get()?.last ?? 0,
      /** Incidents that each rule matched, by its name. */
      ruleHits: routeHits().rules,
    }),
    /** Stored incidents in the order of their commits, for a rehearsal. */
    history: openHistory(context),
  }
}

export type NoisePort = ReturnType<typeof openNoisePort>
