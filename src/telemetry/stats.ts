import type { Stats } from '../api/stats.ts'
import type { ChannelName } from '../domain/delivery/delivery.ts'
import { isoTime } from '../text/iso-time.ts'
import type { RecentHistogram } from './histogram.ts'
import { intakesOf, sumOf } from './intakes.ts'
import type { Meters } from './meters.ts'
import { type ActorSnapshot, inflightOf, openCircuitsOf, type Snapshot, type ThreadSnapshot } from './snapshot.ts'

/**
 * Returns the body of `GET /api/admin/stats`: rates over the last five seconds, percentiles over the last minute (null
 * without values), totals since the start of the process.
 */
export function statsOf(snapshot: Snapshot): Stats {
  const { at, startedAt, version, meters, storage, channels, rssBytes, cluster } = snapshot
  const ownIntake = intakeOf(meters.ingest, inflightOf(snapshot))
  const replicas = cluster && intakesOf(cluster, { ...snapshot, ownIntake })
  return {
    at: isoTime(at),
    uptime_ms: at - startedAt,
    version,
    started_at: isoTime(startedAt),
    ingest: replicas ? sumOf(replicas.flatMap(({ figures }) => figures ?? [])) : ownIntake,
    ...(replicas && { replicas }),
    deliveries: Object.fromEntries(channels.map((name) => [name, delivery(name, snapshot)])),
    oncall: oncall(snapshot),
    attention: attention(snapshot),
    actors: Object.fromEntries(snapshot.actors.map((each) => [each.name, actor(each)])),
    threads: Object.fromEntries(snapshot.threads.map((each) => [each.name, thread(each)])),
    storage: storage
      ? {
          incidents: storage.incidents,
          unapplied: storage.unappliedIncidents,
          apply_lag_ms: storage.applyLagMs,
          quarantined: storage.quarantinedIncidents,
          finished: storage.finishedIncidents,
          unfinished_deliveries: storage.unfinishedDeliveries,
          unindexed: storage.unindexed,
          database_bytes: storage.databaseBytes,
          wal_bytes: storage.walBytes,
        }
      : null,
    memory: { rss_bytes: rssBytes },
    agent: agent(snapshot),
  }
}

/** Returns the figures of this process's intake. */
export function intakeOf({ accepted, refused, commitMs, batch }: Meters['ingest'], inflight: number) {
  const rates = Object.values(accepted)
  const counted = Object.entries(refused).map(([code, { value }]) => [code, value] as const)
  return {
    accepted_total: rates.reduce((sum, { value }) => sum + value, 0),
    refused_total: Object.fromEntries(counted.filter(([, value]) => value > 0)),
    accepted_per_s: round(rates.reduce((sum, rate) => sum + rate.perSecond(), 0)),
    commit_ms: percentiles(commitMs, [50, 99]),
    batch_size: percentiles(batch, [50, 99], Math.ceil),
    inflight,
  }
}

function oncall({ meters, storage }: Snapshot) {
  return {
    armed: storage?.oncall.armed ?? null,
    overdue: storage?.oncall.overdue ?? null,
    paged_total: { sent: meters.oncall.paged.value, failed: meters.oncall.failed.value },
  }
}

function agent({ agent: snapshot }: Snapshot) {
  if (!snapshot) return null
  const { mode, lag, lines_per_s, patterns } = snapshot
  return { mode, lag, lines_per_s, patterns }
}

/** A value is null while the thread that knows it does not answer. */
function attention({ storage, senders }: Snapshot) {
  const channels = storage && Object.values(storage.channels)
  return {
    dead: channels?.reduce((sum, { deadNow }) => sum + deadNow, 0) ?? null,
    open_circuits: senders ? openCircuitsOf(senders) : null,
    unacknowledged_firing: storage?.unacknowledgedFiring ?? null,
    problems: storage?.firingProblems ?? null,
    storms: storage?.destinations.filter(({ storm }) => storm !== null).length ?? null,
  }
}

function delivery(name: ChannelName, { at, meters, storage }: Snapshot) {
  const { sent, retried, dead, confirmedMs } = meters.channels[name]
  const backlog = storage?.channels[name].backlog
  const oldest = backlog?.oldestPendingAt
  return {
    sent_total: sent.value,
    retried_total: retried.value,
    dead_total: dead.value,
    sent_per_s: round(sent.perSecond()),
    latency_ms: percentiles(confirmedMs, [50, 95, 99]),
    backlog: backlog === undefined ? null : backlog.pending + backlog.sending,
    oldest_pending_age_ms: oldest === undefined ? null : Math.max(0, at - oldest),
  }
}

function actor({ thread, occupied, capacity, refused, state, restarts }: ActorSnapshot) {
  return { thread, depth: occupied, capacity, refused, state, restarts }
}

function thread({ state, restarts, eventLoop }: ThreadSnapshot) {
  const lag = eventLoop ? { p50: round(eventLoop.lagMs.p50), p99: round(eventLoop.lagMs.p99) } : null
  return { state, restarts, utilization: eventLoop ? round(eventLoop.utilization) : null, lag_ms: lag }
}

/** `{p50: 1.25}`; null while nothing was recorded. */
function percentiles<P extends number>(histogram: RecentHistogram, wanted: readonly P[], to = round) {
  const values = Object.entries<number | null>(histogram.percentiles(wanted))
  const named = values.map(([p, value]) => [`p${p}`, value === null ? null : to(value)])
  return Object.fromEntries(named) as { readonly [name in `p${P}`]: number | null }
}

/** Rounds to three decimals. */
const round = (value: number) => Math.round(value * 1_000) / 1_000
