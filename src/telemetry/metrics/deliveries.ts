import type { ChannelName } from '../../domain/delivery.ts'
import type { Buckets } from '../histogram.ts'
import { type ChannelFigures, CONFIRMED_MS, STAGE_MS } from '../meters.ts'
import type { Observation } from '../snapshot.ts'
import { counter, each, type Family, gauge, seconds } from './family.ts'

type PerChannel = (seen: Observation, channel: ChannelName) => number | undefined

const CIRCUIT_STATES = ['closed', 'open', 'half_open']

/** What the channels do, by channel. */
export const DELIVERIES: readonly Family[] = [
  counter(
    'tocsin_delivery_attempts_total',
    'Messages sent to a provider, by what came of it.',
    ({ figures, channels }) =>
      channels.flatMap((channel) =>
        Object.entries(figures.channels[channel].attempts).map(([outcome, { value }]) => ({
          labels: { channel, outcome },
          value,
        })),
      ),
  ),
  counter('tocsin_deliveries_total', 'Deliveries that ended, by how.', ({ figures, channels }) =>
    channels.flatMap((channel) => [
      { labels: { channel, state: 'sent' }, value: figures.channels[channel].sent.value },
      { labels: { channel, state: 'dead' }, value: figures.channels[channel].dead.value },
    ]),
  ),
  counted('tocsin_deliveries_retried_total', 'Attempts that are repeated.', (figures) => figures.retried.value),
  counted(
    'tocsin_deliveries_rendered_plain_total',
    'Attempts that went out as plain text, because the template failed.',
    (figures) => figures.renderedPlain.value,
  ),
  seconds(
    'tocsin_delivery_seconds',
    'From accepting an incident to the word of the provider, retries included.',
    CONFIRMED_MS,
    ({ figures, channels }) =>
      channels.flatMap((channel) =>
        Object.entries(figures.channels[channel].confirmedMsBySeverity).map(([severity, of]) => ({
          labels: { channel, severity },
          of,
        })),
      ),
  ),
  timed('tocsin_render_seconds', 'Rendering one message.', (figures) => figures.renderMs),
  timed('tocsin_limiter_wait_seconds', 'Waiting for the rate of a destination.', (figures) => figures.limiterWaitMs),
  timed('tocsin_provider_seconds', 'One request to a provider.', (figures) => figures.providerMs),
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

function counted(name: string, help: string, of: (figures: ChannelFigures) => number): Family {
  return counter(name, help, ({ figures, channels }) =>
    each(
      'channel',
      channels.map((channel) => [channel, of(figures.channels[channel])]),
    ),
  )
}

function timed(name: string, help: string, of: (figures: ChannelFigures) => Buckets): Family {
  return seconds(name, help, STAGE_MS, ({ figures, channels }) =>
    channels.map((channel) => ({ labels: { channel }, of: of(figures.channels[channel]) })),
  )
}

function standing(name: string, help: string, of: PerChannel): Family {
  return gauge(name, help, (seen) =>
    seen.channels.flatMap((channel) => {
      const value = of(seen, channel)
      return value === undefined ? [] : [{ labels: { channel }, value }]
    }),
  )
}
