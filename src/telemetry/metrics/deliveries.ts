import type { Buckets } from '../histogram.ts'
import { type ChannelMeters, CONFIRMED_MS, STAGE_MS } from '../meters.ts'
import { byChannel, counter, type Family, gauge, seconds, values } from './family.ts'

const CIRCUIT_STATES = ['closed', 'open', 'half_open']

/** Deliveries and circuits, by channel. */
export const DELIVERIES: readonly Family[] = [
  counter('tocsin_delivery_attempts_total', 'Attempts to send a message, by outcome.', ({ meters, channels }) =>
    channels.flatMap((channel) => values('outcome', meters.channels[channel].attempts, { channel })),
  ),
  counter('tocsin_deliveries_total', 'Deliveries that ended, by their state: sent or dead.', ({ meters, channels }) =>
    channels.flatMap((channel) => {
      const { sent, dead } = meters.channels[channel]
      return values('state', { sent, dead }, { channel })
    }),
  ),
  counter(
    'tocsin_deliveries_retried_total',
    'Attempts that failed and are tried again.',
    byChannel(({ meters }, channel) => meters.channels[channel].retried.value),
  ),
  counter(
    'tocsin_deliveries_rendered_plain_total',
    'Attempts that went out as plain text because their template failed.',
    byChannel(({ meters }, channel) => meters.channels[channel].renderedPlain.value),
  ),
  seconds(
    'tocsin_delivery_seconds',
    'Seconds from accepting an incident to the final answer of the provider, retries included.',
    CONFIRMED_MS,
    ({ meters, channels }) =>
      channels.flatMap((channel) =>
        Object.entries(meters.channels[channel].confirmedMsBySeverity).map(([severity, of]) => ({
          labels: { channel, severity },
          of,
        })),
      ),
  ),
  channelSeconds('tocsin_render_seconds', 'Seconds of rendering one message.', (meters) => meters.renderMs),
  channelSeconds(
    'tocsin_limiter_wait_seconds',
    'Seconds that one message waited for the rate of its destination.',
    (meters) => meters.limiterWaitMs,
  ),
  channelSeconds(
    'tocsin_provider_seconds',
    'Seconds of one attempt, from connecting to the answer of the provider.',
    (meters) => meters.providerMs,
  ),
  gauge(
    'tocsin_deliveries_pending',
    'Deliveries that wait on disk.',
    byChannel(({ storage }, channel) => storage?.channels[channel].backlog.pending),
  ),
  gauge(
    'tocsin_deliveries_sending',
    'Deliveries that are leased to their sender.',
    byChannel(({ storage }, channel) => storage?.channels[channel].backlog.sending),
  ),
  gauge(
    'tocsin_deliveries_dead',
    'Deliveries that were given up and not replayed.',
    byChannel(({ storage }, channel) => storage?.channels[channel].deadNow),
  ),
  gauge(
    'tocsin_deliveries_oldest_pending_seconds',
    'Age of the oldest pending delivery in seconds; 0 when none is pending.',
    byChannel(({ storage, at }, channel) => {
      if (!storage) return undefined
      const { oldestPendingAt = at } = storage.channels[channel].backlog
      return Math.max(0, at - oldestPendingAt) / 1_000
    }),
  ),
  gauge(
    'tocsin_channel_paused',
    '1 while the channel is paused by an operator, else 0.',
    byChannel(({ storage }, channel) => storage && (storage.channels[channel].pausedAt === undefined ? 0 : 1)),
  ),
  gauge('tocsin_circuits', 'Destinations, by the state of their circuit breaker.', ({ senders = [] }) =>
    senders.flatMap(({ channel, destinations }) =>
      CIRCUIT_STATES.map((state) => ({
        labels: { channel, state },
        value: destinations.filter(({ circuit }) => circuit === state).length,
      })),
    ),
  ),
]

function channelSeconds(name: string, help: string, of: (meters: ChannelMeters) => Buckets): Family {
  return seconds(name, help, STAGE_MS, ({ meters, channels }) =>
    channels.map((channel) => ({ labels: { channel }, of: of(meters.channels[channel]) })),
  )
}
