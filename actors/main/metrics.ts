import type { FrontOptions } from '../../src/http/contract.ts'
import { createMetricsFront, type MetricsFrontOptions } from '../../src/http/metrics.ts'
import type { Observation } from '../../src/telemetry/snapshot.ts'
import type { SystemSettings } from '../wiring/settings.ts'

/** Where the metrics are served: on the main front, on a port of their own, or nowhere. */
export interface MetricsServing {
  readonly forFront: Pick<FrontOptions, 'metrics'>
  /** Rejects when the port cannot be bound. */
  listen(host: string): Promise<void>
  close(): void
}

const NOWHERE: MetricsServing = { forFront: {}, listen: async () => {}, close: () => {} }

export function serveMetrics(
  { enable, port }: SystemSettings['metrics'],
  observe: () => Promise<Observation>,
  log: MetricsFrontOptions['log'],
): MetricsServing {
  if (!enable) return NOWHERE
  const metrics = metricsOf(observe)
  if (port === 0) return { ...NOWHERE, forFront: { metrics } }
  const front = createMetricsFront({ metrics, log })
  return { forFront: {}, listen: (host) => front.listen(host, port), close: () => front.close() }
}

/** What makes the text is loaded when it is first asked for. */
function metricsOf(observe: () => Promise<Observation>): () => Promise<string> {
  let making: Promise<() => Promise<string>> | undefined
  return async () => {
    making ??= import('../../src/telemetry/metrics.ts').then(({ createMetrics }) => createMetrics(observe))
    const make = await making
    return make()
  }
}
