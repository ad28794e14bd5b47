import type { FrontLog } from '../../src/http/contract.ts'
import { createMetricsFront } from '../../src/http/health.ts'
import type { Snapshot } from '../../src/telemetry/snapshot.ts'
import type { SystemSettings } from '../wiring/settings.ts'

export type MetricsServing = ReturnType<typeof serveMetrics>

const DISABLED = { forFront: {}, listen: async () => {}, close() {} }

/** Serves the metrics on the main front, on a port of their own, or not at all. `listen` rejects when it cannot bind. */
export function serveMetrics(
  { metrics: { enable, port }, storage }: Pick<SystemSettings, 'metrics' | 'storage'>,
  observe: () => Promise<Snapshot>,
  log: FrontLog,
) {
  if (!enable) return DISABLED
  const metrics = metricsOf(observe, storage.type)
  if (port === 0) return { ...DISABLED, forFront: { metrics } }
  const front = createMetricsFront(metrics, log)
  return { forFront: {}, listen: (host: string) => front.listen(host, port), close: () => front.close() }
}

/** Loads the code that formats metrics at the first request for them. */
function metricsOf(
  observe: () => Promise<Snapshot>,
  storage: SystemSettings['storage']['type'],
): () => Promise<string> {
  let loading: Promise<() => Promise<string>> | undefined
  return async () => {
    loading ??= Promise.all([import('../../src/telemetry/metrics.ts'), familiesOf(storage)]).then(
      ([{ createMetrics }, more]) => createMetrics(observe, more),
    )
    const make = await loading
    return make()
  }
}

const familiesOf = async (storage: SystemSettings['storage']['type']) =>
  storage === 'postgres' ? (await import('../../src/telemetry/metrics/cluster.ts')).CLUSTER : []
