import type { ChannelName } from '../../domain/delivery.ts'
import type { Buckets } from '../histogram.ts'
import { type ChannelMeters, CONFIRMED_MS, STAGE_MS } from '../meters.ts'
import type { Snapshot } from '../snapshot.ts'
import { counter, each, type Family, gauge, seconds } from './family.ts'

type PerChannel = (snapshot: Snapshot, channel: ChannelName) => number | undefined

const CIRCUIT_STATES = ['closed', 'open', 'half_open']

/** What the channels do, by channel. */
export const DELIVERIES: readonly Family[] = [
  counter(
    'tocsin_delivery_attempts_total',
    'Messages sent to a provider, by what came of it.',
    ({ meters, channels }) =>
      channels.flatMap((channel) =>
        Object.entries(meters.channels[channel].attempts).map(([outcome, { value }]) => ({
          labels: { channel, outcome },
          value,
        })),
      ),
  ),
  counter('tocsin_deliveries_total', 'Deliveries that ended, by how.', ({ meters, channels }) =>
    channels.flatMap((channel) => [
      { labels: { channel, state: 'sent' }, value: meters.channels[channel].sent.value },
      { labels: { channel, state: 'dead' }, value: meters.channels[channel].dead.value },
    ]),
  ),
  counted('tocsin_deliveries_retried_total', 'Attempts that are repeated.', (meters) => meters.retried.value),
  counted(
    'tocsin_deliveries_rendered_plain_total',
    'Attempts that went out as plain text, because the template failed.',
    (meters) => meters.renderedPlain.value,
  ),
  seconds(
    'tocsin_delivery_seconds',
    'From accepting an incident to the word of the provider, retries included.',
    CONFIRMED_MS,
    ({ meters, channels }) =>
      channels.flatMap((channel) =>
        Object.entries(meters.channels[channel].confirmedMsBySeverity).map(([severity, of]) => ({
          labels: { channel, severity },
          of,
        })),
      ),
  ),
  timed('tocsin_render_seconds', 'Rendering one message.', (meters) => meters.renderMs),
  timed('tocsin_limiter_wait_seconds', 'Waiting for the rate of a destination.', (meters) => meters.limiterWaitMs),
  timed('tocsin_provider_seconds', 'One request to a provider.', (meters) => meters.providerMs),
  standing(
    'tocsin_deliveries_pending',
    'Deliveries that wait on disk.',
    ({ storage }, channel) => storage?.channels[channel].backlog.pending,
  ),
  standing(
    'tocsin_deliveries_sending',
    'Deliveries that are handed to their sender.',
    ({ storage }, channel) => storage?.channels[channel].backlog.sending,
  ),
  standing(
    'tocsin_deliveries_dead',
    'Deliveries that were given up and not replayed.',
    ({ storage }, channel) => storage?.channels[channel].deadNow,
  ),
  standing(
    'tocsin_deliveries_oldest_pending_seconds',
    'How long the oldest pending delivery has waited; 0 when none is pending.',
    ({ storage, at }, channel) => {
      if (!storage) return undefined
      const { oldestPendingAt = at } = storage.channels[channel].backlog
      return Math.max(0, at - oldestPendingAt) / 1_000
    },
  ),
  standing(
    'tocsin_channel_paused',
    '1 while an operator has paused the channel.',
    ({ storage }, channel) => storage && (storage.channels[channel].pausedAt === undefined ? 0 : 1),
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

function counted(name: string, help: string, of: (meters: ChannelMeters) => number): Family {
  return counter(name, help, ({ meters, channels }) =>
    each(
      'channel',
      channels.map((channel) => [channel, of(meters.channels[channel])]),
    ),
  )
}

function timed(name: string, help: string, of: (meters: ChannelMeters) => Buckets): Family {
  return seconds(name, help, STAGE_MS, ({ meters, channels }) =>
    channels.map((channel) => ({ labels: { channel }, of: of(meters.channels[channel]) })),
  )
}

function standing(name: string, help: string, of: PerChannel): Family {
  return gauge(name, help, (snapshot) =>
    snapshot.channels.flatMap((channel) => {
      const value = of(snapshot, channel)
      return value === undefined ? [] : [{ labels: { channel }, value }]
    }),
  )
}
