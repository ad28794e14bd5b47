import type { ChannelName, Destination } from '../../domain/delivery/delivery.ts'
import { type StormLimits, type StormParameters, stormParameters } from '../../policy/bundles/storm-parameters.ts'

/** Storm rules of one channel. */
export interface StormRules extends Omit<StormLimits, 'maxBacklog'> {
  readonly enable: boolean
}

/** Storm rules of the enabled channels; a channel that is absent folds nothing. */
export type StormRulesByChannel = { readonly [channel in ChannelName]?: StormRules }

interface ChannelRules {
  readonly enable: boolean
  /** @param storms storms that are open on the channel */
  parameters(storms: number): StormParameters
}

/** The highest reading rate that has storm rules: with one above, a digest that is open still has to end. */
const HIGHEST_READING = 20

/**
 * Returns the rules of a channel with their parameters; undefined: it has none, as the on-call provider. Each incident
 * may be untold on all channels at once, so these share the quota.
 */
export function openRules(channels: StormRulesByChannel, maxBacklog: number) {
  const share = maxBacklog / Math.max(1, Object.values(channels).filter(({ enable }) => enable).length)
  const rules = new Map<Destination, ChannelRules>(
    Object.entries(channels).map(([channel, of]) => [channel as ChannelName, channelRules(of, share)]),
  )
  return (destination: Destination): ChannelRules | undefined => rules.get(destination)
}

function channelRules({ enable, ...settings }: StormRules, maxBacklog: number): ChannelRules {
  const { perSecond, burst } = settings.reading
  const reading = { perSecond: Math.min(perSecond, HIGHEST_READING), burst }
  const known: StormParameters[] = []
  return {
    enable: enable && perSecond <= HIGHEST_READING,
    parameters(storms) {
      known[storms] ??= stormParameters({ ...settings, reading, maxBacklog }, Math.max(1, storms)) as StormParameters
      return known[storms]
    },
  }
}
