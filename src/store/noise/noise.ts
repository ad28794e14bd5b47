import type { Problem } from '../../policy/problem.ts'
import { type BundleDeps, type Bundles, openBundles } from '../bundles/open.ts'
import { openWindUp, type WindUp } from '../bundles/windup.ts'
import type { StoreContext } from '../engine/context.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import type { Pages } from '../pages/pages.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Tellings } from '../tellings/tellings.ts'
import type { Decisions } from './decisions.ts'
import { type FallbackRules, type Fallbacks, openFallbacks } from './fallbacks.ts'
import { type Outages, openOutages } from './outages.ts'

interface NoiseDeps extends BundleDeps {
  readonly tellings: BundleDeps['tellings'] & Pick<Tellings, 'confirmed'>
  readonly statusTracker: Pick<NotifyStatusTracker, 'finish'>
  readonly decisions: Pick<Decisions, 'priorityOf' | 'templateOf'>
  readonly pages: Pick<Pages, 'resolve'>
  readonly fallbackRules: FallbackRules
  /** Called when an incident got a delivery on one more channel. */
  queueReindex(incident: number): void
}

/** Bundles of storms, repeats and flapping, what follows when these are told, and what stands in for destinations that fail. */
interface Noise {
  readonly bundles: Bundles
  readonly storms: Bundles['storms']
  /** Ends the flapping of problems that is over, and resolves their pages; bounded. */
  endFlapping(): OncallChange[]
  readonly windUp: WindUp
  readonly fallbacks: Fallbacks
  readonly outages: Outages
}

export function openNoise(context: StoreContext, deps: NoiseDeps): Noise {
  const { statusTracker, decisions, pages, problems, tellings, fallbackRules, queueReindex } = deps
  const bundles = openBundles(context, deps)
  const { storms, rows } = bundles
  const fallbacks = openFallbacks(context, { rules: fallbackRules, storms, decisions, queueReindex })

  function endOne({ fingerprint, state, endedBy }: Problem): OncallChange[] {
    bundles.flappingEnded(fingerprint)
    // The end by quiet tells the pager nothing, whether or not the problem flaps.
    return state === 'resolved' && endedBy !== 'quiet' ? pages.resolve(fingerprint) : []
  }

  return {
    bundles,
    storms,
    endFlapping: () => problems.flapping.end().flatMap(endOne),
    windUp: openWindUp(context, { rows, statusTracker, fallbacks, tellings }),
    fallbacks,
    outages: openOutages(context, fallbacks, fallbackRules.afterMs),
  }
}
