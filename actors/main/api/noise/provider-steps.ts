import type { ExplainStep } from '../../../../src/api/noise/explain.ts'
import type { ChannelName } from '../../../../src/domain/delivery/delivery.ts'
import { destinationName } from '../../../../src/domain/delivery/delivery.ts'
import type { SenderState } from '../../../messages/send-queries.ts'
import type { SystemSettings } from '../../../wiring/settings.ts'
import { EMPTY, seconds } from './steps.ts'

/** A destination of a stored delivery or of a decision. */
interface Place {
  readonly channel: ChannelName
  /** null or absent: the channel's default one. */
  readonly target?: string | null
}

interface ProviderState {
  /** Undefined: the send thread is not up. */
  readonly senders: readonly SenderState[] | undefined
  readonly channels: SystemSettings['alert']['channels']
}

/** Returns the rate limit and the circuit of each destination as they are now, whatever they were when it was sent to. */
export const providerSteps = (places: readonly Place[], state: ProviderState): ExplainStep[] =>
  places.map((place) => providerStep(place, state))

function providerStep({ channel, target = null }: Place, { senders, channels }: ProviderState): ExplainStep {
  const step = { ...EMPTY, stage: 'provider', subject: destinationName({ channel, target }) } as const
  const { enable, rate } = channels[channel]
  if (!enable) return { ...step, verdict: 'off', because: 'as configured now, the channel is not enabled' }
  if (senders === undefined) return { ...step, verdict: 'unknown', because: 'the thread that sends is not up' }
  const states = senders.find((sender) => sender.channel === channel)?.destinations ?? []
  const state = states.find(({ destination }) => destination === (target ?? 'default'))
  const because = [
    `as configured now, it is sent ${rate.perSecond} a second, ${rate.burst} at once`,
    `${state?.waiting ?? 0} wait for this limit`,
    ...(state?.circuit === 'open' ? [`after failures it is tried again in ${seconds(state.retryInMs)}`] : []),
  ]
  return {
    ...step,
    verdict: `circuit ${(state?.circuit ?? 'closed').replace('_', ' ')}`,
    because: because.join('; '),
  }
}
