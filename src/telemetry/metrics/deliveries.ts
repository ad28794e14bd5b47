import type { ChannelName } from '../../domain/delivery.ts'
import type { Buckets } from '../histogram.ts'
import { type ChannelMeters, CONFIRMED_MS, STAGE_MS } from '../meters.ts'
import type { Snapshot } from '../snapshot.ts'
import { counter, each, type Family, gauge, seconds } from './family.ts'

type PerChannel = (snapshot: Snapshot, channel: ChannelName) => number | undefined

const CIRCUIT_STATES = ['closed', 'open', 'half_open']

/** Deliveries and circuits, by channel. */
export const DELIVERIES: readonly Family[] = [
  counter('tocsin_delivery_attempts_total', 'Attempts to send a message, by outcome.', ({ meters, channels }) =>
    channels.flatMap((channel) =>
      Object.entries(meters.channels[channel].attempts).map(([outcome, { value }]) => ({
        labels: { channel, outcome },
        value,
      })),
    ),
  ),
  counter('tocsin_deliveries_total', 'Deliveries that ended, by their state: sent or dead.', ({ meters, channels }) =>
    channels.flatMap((channel) => [
      { labels: { channel, state: 'sent' }, value: meters.channels[channel].sent.value },
      { labels: { channel, state: 'dead' }, value: meters.channels[channel].dead.value },
    ]),
  ),
  channelCounter(
    'tocsin_deliveries_retried_total',
    'Attempts that failed and are tried again.',
    (meters) => meters.retried.value,
  ),
  channelCounter(
    'tocsin_deliveries_rendered_plain_total',
    'Attempts that went out as plain text because their template failed.',
    (meters) => meters.renderedPlain.value,
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
  channelGauge(
    'tocsin_deliveries_pending',
    'Deliveries that wait on disk.',
    ({ storage }, channel) => storage?.channels[channel].backlog.pending,
  ),
  channelGauge(
    'tocsin_deliveries_sending',
    'Deliveries that are leased to their sender.',
    ({ storage }, channel) => storage?.channels[channel].backlog.sending,
  ),
  channelGauge(
    'tocsin_deliveries_dead',
    'Deliveries that were given up and not replayed.',
    ({ storage }, channel) => storage?.channels[channel].deadNow,
  ),
  channelGauge(
    'tocsin_deliveries_oldest_pending_seconds',
    'Age of the oldest pending delivery in seconds; 0 when none is pending.',
    ({ storage, at }, channel) => {
      if (!storage) return undefined
      const { oldestPendingAt = at } = storage.channels[channel].backlog
      return Math.max(0, at - oldestPendingAt) / 1_000
    },
  ),
  channelGauge(
    'tocsin_channel_paused',
    '1 while the channel is paused by an operator, else 0.',
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

function channelCounter(name: string, help: string, of: (meters: ChannelMeters) => number): Family {
  return counter(name, help, ({ meters, channels }) =>
    each(
      'channel',
      channels.map((channel) => [channel, of(meters.channels[channel])]),
    ),
  )
}

function channelSeconds(name: string, help: string, of: (meters: ChannelMeters) => Buckets): Family {
  return seconds(name, help, STAGE_MS, ({ meters, channels }) =>
    channels.map((channel) => ({ labels: { channel }, of: of(meters.channels[channel]) })),
  )
}

function channelGauge(name: string, help: string, of: PerChannel): Family {
  return gauge(name, help, (snapshot) =>
    snapshot.channels.flatMap((channel) => {
      const value = of(snapshot, channel)
      return value === undefined ? [] : [{ labels: { channel }, value }]
    }),
  )
}
