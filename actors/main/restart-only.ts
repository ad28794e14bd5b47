import type { SystemSettings } from '../wiring/settings.ts'

/** Keys that are bound or opened once, at the start. */
const RESTART_ONLY: readonly (readonly [key: string, (settings: SystemSettings) => unknown])[] = [
  ['host', ({ host }) => host],
  ['port', ({ port }) => port],
  ['http.threads', ({ http }) => http.threads],
  ['http.max_inflight', ({ http }) => http.maxInflight],
  ['storage.file.data_dir', ({ storage }) => storage.dataDir],
  ['topicsvc.https_endpoint_subscription_path', ({ topicsvc }) => topicsvc.path],
  ['agent.enable', ({ agent }) => agent.enable],
  ['metrics.enable', ({ metrics }) => metrics.enable],
  ['metrics.port', ({ metrics }) => metrics.port],
]

/** Returns the next settings with the values of now where a change needs a restart. */
export function keepRestartOnly(next: SystemSettings, running: SystemSettings): SystemSettings {
  const { host, port, http, storage, topicsvc, agent, metrics } = running
  return {
    ...next,
    host,
    port,
    metrics,
    http: { ...next.http, threads: http.threads, maxInflight: http.maxInflight },
    storage: { ...next.storage, dataDir: storage.dataDir },
    topicsvc: { ...next.topicsvc, path: topicsvc.path },
    agent: { ...next.agent, enable: agent.enable },
  }
}

/** Returns a sentence for each changed key that needs a restart. */
export function restartWarnings(next: SystemSettings, running: SystemSettings): string[] {
  const changed = RESTART_ONLY.filter(([, get]) => get(next) !== get(running))
  return changed.map(([key]) => `${key} has changed: it takes effect when the service is started again`)
}
