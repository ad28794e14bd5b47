import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Distribution, Family } from './metrics/family.ts'
import { FAMILIES } from './metrics/index.ts'
import type { Snapshot } from './snapshot.ts'

/** Default gauges of prom-client that are named like counters; they are removed. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/**
 * Returns a function that makes the text of `GET /metrics` from one snapshot. The threads count in shared memory, so
 * prom-client gets metrics that read their values from the snapshot instead of counting themselves.
 *
 * @param more metrics beside those of every service
 */
export function createMetrics(observe: () => Promise<Snapshot>, more: readonly Family[] = []): () => Promise<string> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  let snapshot: Promise<Snapshot> | undefined
  for (const family of [...FAMILIES, ...more]) {
    const answer = async () => {
      const { name, help, type } = family
      return { name, help, type, values: snapshot ? valuesOf(family, await snapshot) : [] }
    }
    registry.registerMetric({ name: family.name, get: answer } as unknown as Metric)
  }
  return async () => {
    snapshot = observe()
    await snapshot
    return registry.metrics()
  }
}

interface Value {
  readonly metricName: string
  readonly labels: { readonly [name: string]: string | number }
  readonly value: number
}

function valuesOf(family: Family, snapshot: Snapshot): Value[] {
  const { name } = family
  if (family.type === 'histogram') return family.distributions(snapshot).flatMap((each) => buckets(family, each))
  return family.samples(snapshot).map(({ labels = {}, value }) => ({ metricName: name, labels, value }))
}

/** Keeps rounding from lifting a bound of the fine buckets above an equal bound of the coarse ones. */
const SLACK = 1 + 1e-9

function buckets({ name, bounds, scale }: Family & { type: 'histogram' }, { labels = {}, of }: Distribution): Value[] {
  const counts = [...of.counts()]
  const upTo = (bound: number) =>
    counts.reduce((sum, count, at) => ((of.bounds[at] ?? Infinity) <= bound * SLACK ? sum + count : sum), 0)
  const count = upTo(Infinity)
  const cumulative = bounds.map((bound) => ({ le: Number((bound * scale).toPrecision(12)), value: upTo(bound) }))
  return [
    ...cumulative.map(({ le, value }) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: of.sum * scale },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
