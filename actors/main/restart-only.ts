import { isDeepStrictEqual } from 'node:util'
import type { StorageSettings, SystemSettings } from '../wiring/settings.ts'

/** Keys that are bound or opened once, at the start. */
const RESTART_ONLY: readonly (readonly [key: string, (settings: SystemSettings) => unknown])[] = [
  ['host', ({ host }) => host],
  ['port', ({ port }) => port],
  ['http.threads', ({ http }) => http.threads],
  ['http.max_inflight', ({ http }) => http.maxInflight],
  ['storage.type', ({ storage }) => storage.type],
  ['storage.file.data_dir', ({ storage }) => storage.dataDir],
  ['storage.postgres', ({ storage }) => (storage.type === 'postgres' ? storage.postgres : undefined)],
  ['replica.name', ({ replica }) => replica.name],
  ['replica.address', ({ replica }) => replica.address],
  ['topicsvc.https_endpoint_subscription_path', ({ topicsvc }) => topicsvc.path],
  ['agent.enable', ({ agent }) => agent.enable],
  ['brief', ({ brief }) => brief],
  ['metrics.enable', ({ metrics }) => metrics.enable],
  ['metrics.port', ({ metrics }) => metrics.port],
]

/** Returns the next settings with the values of now where a change needs a restart. */
export function keepRestartOnly(next: SystemSettings, running: SystemSettings): SystemSettings {
  const { host, port, http, storage, replica, topicsvc, agent, metrics, mcp, brief } = running
  return {
    ...next,
    host,
    port,
    metrics,
    brief,
    http: { ...next.http, threads: http.threads, maxInflight: http.maxInflight },
    replica,
    storage: keepStorage(next.storage, storage),
    topicsvc: { ...next.topicsvc, path: topicsvc.path },
    agent: { ...next.agent, enable: agent.enable },
    // Without a token at the start there is no route, and its code is not loaded.
    mcp: mcp.tokens.length === 0 ? mcp : next.mcp,
  }
}

/** The limits are those of the next settings, unless these are for a storage of the other type. */
function keepStorage(next: StorageSettings, running: StorageSettings): StorageSettings {
  if (next.type !== running.type) return running
  return { ...running, maxIncidents: next.maxIncidents, maxBacklog: next.maxBacklog }
}

/** Returns a sentence for each changed key that needs a restart. */
export function restartWarnings(next: SystemSettings, running: SystemSettings): string[] {
  const changed = RESTART_ONLY.filter(([, get]) => !isDeepStrictEqual(get(next), get(running)))
  const isFirst = running.mcp.tokens.length === 0 && next.mcp.tokens.length > 0
  return [
    ...changed.map(([key]) => `${key} has changed: it takes effect when the service is started again`),
    ...(isFirst ? ['mcp.tokens has its first token: /mcp is there when the service is started again'] : []),
  ]
}
