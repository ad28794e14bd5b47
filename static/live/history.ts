import type { Stats } from '../../src/api/stats.ts'

/** Length of the history, with one sample for each second. */
export const KEPT = 600

/** Values that the charts draw for one moment. */
export interface Sample {
  /** Epoch seconds. */
  readonly at: number
  readonly accepted: number
  readonly sent: number
  readonly retried: number
  readonly dead: number
  readonly commitP50: number | null
  readonly commitP99: number | null
  readonly backlog: number | null
  /** Messages sent per second, by channel. */
  readonly sentBy: { readonly [channel: string]: number }
}

/**
 * Returns the samples with one for `next` at their end, at most `KEPT`. Rates are differences to `before`. The history
 * begins anew when the service was restarted.
 */
export function withSample(samples: readonly Sample[], before: Stats | undefined, next: Stats): readonly Sample[] {
  const at = Date.parse(next.at) / 1_000
  const last = samples.at(-1)
  // After a restart the counters begin at zero.
  const kept = last !== undefined && (at < last.at || before?.started_at !== next.started_at) ? [] : samples
  const seconds = before === undefined || kept.length === 0 ? 0 : at - Date.parse(before.at) / 1_000
  if (last !== undefined && kept.length > 0 && seconds <= 0) return samples
  return [...kept.slice(1 - KEPT), sampleOf({ at, seconds, before, next })]
}

interface StatsPair {
  readonly at: number
  /** Time since `before`; 0 without one. */
  readonly seconds: number
  readonly before: Stats | undefined
  readonly next: Stats
}

function sampleOf({ at, seconds, before, next }: StatsPair): Sample {
  const rate = (name: 'retried_total' | 'dead_total') =>
    seconds === 0 ? 0 : Math.max(0, sum(next, name) - sum(before, name)) / seconds
  const sentBy = Object.fromEntries(Object.entries(next.deliveries).map(([name, each]) => [name, each.sent_per_s]))
  return {
    at,
    accepted: next.ingest.accepted_per_s,
    sent: Object.values(sentBy).reduce((total, each) => total + each, 0),
    retried: rate('retried_total'),
    dead: rate('dead_total'),
    commitP50: next.ingest.commit_ms.p50,
    commitP99: next.ingest.commit_ms.p99,
    backlog: next.storage?.unfinished_deliveries ?? null,
    sentBy,
  }
}

const sum = (stats: Stats | undefined, name: 'retried_total' | 'dead_total') =>
  Object.values(stats?.deliveries ?? {}).reduce((total, each) => total + each[name], 0)
