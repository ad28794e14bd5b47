import type { Problem } from '../../policy/problem.ts'
import { type BundleDeps, openBundles } from '../bundles/open.ts'
import { openWindUp } from '../bundles/windup.ts'
import type { StoreParts } from '../parts.ts'
import type { OncallChange } from '../ports/oncall.ts'
import { type FallbackRules, NO_FALLBACKS, openFallbacks } from './fallbacks.ts'
import { openOutages } from './outages.ts'

/** The store's parts with those that tell of incidents. */
export type NoiseParts = StoreParts & Noise

/** Bundles of storms, repeats and flapping, what follows when these are told, and what stands in for destinations that fail. */
type Noise = ReturnType<typeof openNoise>

export function openNoise(context: StoreParts, limits: BundleDeps & { readonly fallbacks?: FallbackRules }) {
  const { pages, problems } = context
  const { fallbacks: rules = NO_FALLBACKS } = limits
  const bundles = openBundles(context, limits)
  const { storms, rows } = bundles
  const fallbacks = openFallbacks(context, { rules, storms })

  function endOne({ fingerprint, state, endedBy }: Problem): OncallChange[] {
    bundles.flappingEnded(fingerprint)
    // The end by quiet tells the pager nothing, whether or not the problem flaps.
    return state === 'resolved' && endedBy !== 'quiet' ? pages.resolve(fingerprint) : []
  }

  return {
    bundles,
    storms,
    /** Ends the flapping of problems that is over, and resolves their pages; bounded. */
    endFlapping: (): OncallChange[] => problems.flapping.end().flatMap(endOne),
    windUp: openWindUp(context, { rows, fallbacks }),
    fallbacks,
    outages: openOutages(context, fallbacks, rules.afterMs),
  }
}
