import { type ChannelName, TOLD_WAYS } from '../../domain/delivery/delivery.ts'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import { DECIDE_MS, TOLD_MS } from '../meters.ts'
import type { Snapshot } from '../snapshot.ts'
import { byChannel, counter, each, type Family, gauge, one, seconds, values } from './family.ts'

/** Delays until incidents are notified; storms, digests and routes. */
export const NOISE: readonly Family[] = [
  seconds(
    'tocsin_notification_seconds',
    'Seconds from the commit of an incident to the confirmation of its notification: a message of its own, a posted update of a digest, or an edited one.',
    TOLD_MS,
    (snapshot) =>
      toldLabels(snapshot).map(({ channel, severity, way }) => ({
        labels: { channel, severity, way },
        of: snapshot.meters.noise.channels[channel].toldMs[severity][way],
      })),
  ),
  counter(
    'tocsin_notifications_late_total',
    'Incidents that were notified later than the bound of their destination, outages included.',
    (snapshot) =>
      toldLabels(snapshot).map(({ channel, severity, way }) => ({
        labels: { channel, severity, way },
        value: snapshot.meters.noise.channels[channel].late[severity][way].value,
      })),
  ),
  counter('tocsin_notified_nobody_total', 'Incidents whose route leads to nobody.', ({ meters }) =>
    one(meters.noise.nobody.value),
  ),
  counter(
    'tocsin_silenced_total',
    'Incidents that a silence kept from a destination or from the pager.',
    ({ meters }) => one(meters.noise.silenced.value),
  ),
  gauge('tocsin_silence_children', 'Silences that causes of those with equal made, at most 1,000.', ({ storage }) =>
    one(storage?.silences.children),
  ),
  gauge('tocsin_silences_active', 'Silences whose window is open.', ({ storage }) => one(storage?.silences.active)),
  gauge('tocsin_held', 'Deliveries and timers that wait for the end of a silence.', ({ storage }) =>
    one(storage?.silences.held),
  ),
  gauge(
    'tocsin_held_critical_seconds',
    'For how long the oldest critical problem has been held; 0: none is.',
    ({ storage }) => one(storage && storage.silences.criticalMs / 1_000),
  ),
  gauge(
    'tocsin_storms_open',
    'Destinations in a storm.',
    sumBy(({ storm }) => (storm === null ? 0 : 1)),
  ),
  gauge(
    'tocsin_storm_seconds',
    'Age of the oldest open storm; 0 when there is none.',
    byChannel((snapshot, channel) => {
      const opened = destinationsOf(snapshot, channel)?.flatMap(({ storm }) => storm?.since ?? [])
      return opened && Math.max(0, snapshot.at - Math.min(snapshot.at, ...opened)) / 1_000
    }),
  ),
  counter('tocsin_storms_total', 'Storms since the database was made.', ({ storage }) => one(storage?.digests)),
  counter(
    'tocsin_folded_total',
    'Incidents that got a place in a digest.',
    byChannel(({ meters }, channel) => meters.noise.channels[channel].folded.value),
  ),
  counter(
    'tocsin_repeats_folded_total',
    'Incidents that got a place beside the first message of their problem.',
    byChannel(({ meters }, channel) => meters.noise.channels[channel].repeated.value),
  ),
  counter(
    'tocsin_flapping_folded_total',
    'Incidents that got a place beside the message that their problem flaps.',
    byChannel(({ meters }, channel) => meters.noise.channels[channel].flapped.value),
  ),
  counter(
    'tocsin_groups_folded_total',
    'Incidents that got a place in the message of their group.',
    byChannel(({ meters }, channel) => meters.noise.channels[channel].grouped.value),
  ),
  counter(
    'tocsin_fallbacks_total',
    'Deliveries that were placed at the fallback of a channel, because the channel failed.',
    byChannel(({ meters }, channel) => meters.noise.channels[channel].fallbacks.value),
  ),
  counter('tocsin_pings_total', 'Pings of heartbeats, by what they said.', ({ storage }) =>
    each('signal', Object.entries(storage?.pings ?? {})),
  ),
  gauge('tocsin_heartbeat_run_seconds', 'How long the last run of a heartbeat took.', ({ storage }) =>
    each(
      'heartbeat',
      storage?.heartbeats.flatMap(({ name, lastRunMs }) => (lastRunMs === null ? [] : [[name, lastRunMs / 1_000]])) ??
        [],
    ),
  ),
  gauge(
    'tocsin_heartbeat_missing',
    'Heartbeats: 1 while one is missing, failed, or runs for too long.',
    ({ storage }) =>
      each(
        'heartbeat',
        storage?.heartbeats.map(({ name, missingSince }) => [name, missingSince === null ? 0 : 1]) ?? [],
      ),
  ),
  gauge(
    'tocsin_heartbeat_due_seconds',
    'Time until a heartbeat is missing without another sign of life.',
    ({ storage, at }) =>
      each(
        'heartbeat',
        storage?.heartbeats.flatMap(({ name, dueAt }) =>
          dueAt === null ? [] : [[name, Math.max(0, dueAt - at) / 1_000]],
        ) ?? [],
      ),
  ),
  gauge(
    'tocsin_digest_waiting',
    'Incidents with a place in a digest that no confirmed update covers.',
    sumBy(({ untold }) => untold),
  ),
  gauge(
    'tocsin_digest_late',
    'Destinations whose oldest waiting incident of a digest is older than the bound.',
    sumBy((destination, now) => (isLate(destination, now) ? 1 : 0)),
  ),
  counter('tocsin_digest_updates_total', 'Updates of digests that were confirmed.', ({ meters, channels }) =>
    channels.flatMap((channel) => values('way', meters.noise.channels[channel].revisions, { channel })),
  ),
  seconds(
    'tocsin_filing_decide_seconds',
    'Seconds that routes and overrides took for all incidents that one database transaction applied.',
    DECIDE_MS,
    ({ meters }) => [{ of: meters.noise.decideMs }],
  ),
  gauge('tocsin_problems_firing', 'Problems that fire.', ({ storage }) => one(storage?.firingProblems)),
  gauge('tocsin_problems_lag_incidents', 'Incidents that their problems do not have yet.', ({ storage }) =>
    one(storage?.problemLag),
  ),
  counter('tocsin_route_hits_total', 'Incidents that a rule of routes matched.', ({ storage }) =>
    each('rule', storage?.ruleHits.map(({ name, hits }) => [name, hits] as const) ?? []),
  ),
]

const toldLabels = ({ channels }: Snapshot) =>
  channels.flatMap((channel) =>
    SEVERITY_LEVELS.flatMap((severity) => TOLD_WAYS.map((way) => ({ channel, severity, way }))),
  )

type Destination = NonNullable<Snapshot['storage']>['destinations'][number]

const isLate = ({ untoldSince, boundMs }: Destination, now: number) =>
  untoldSince !== null && boundMs !== null && now - untoldSince > boundMs

const destinationsOf = ({ storage }: Snapshot, channel: ChannelName) =>
  storage?.destinations.filter((destination) => destination.channel === channel)

/** The sum over the destinations of each channel. */
function sumBy(of: (destination: Destination, now: number) => number) {
  return byChannel((snapshot, channel) =>
    destinationsOf(snapshot, channel)?.reduce((sum, destination) => sum + of(destination, snapshot.at), 0),
  )
}
