import type { HeartbeatList, HeartbeatRecord } from '../../../../src/api/noise/heartbeat.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import { conditionsText } from '../../../../src/policy/describe.ts'
import type { HeartbeatSettings } from '../../../../src/policy/heartbeat.ts'
import type { HeartbeatState } from '../../../../src/store/ports/heartbeats.ts'
import { isoTimeOrNull } from '../../../../src/text/iso-time.ts'
import type { Ask } from '../../../messages/query.ts'
import type { StorageQueries } from '../../../messages/storage-queries.ts'
import type { SystemSettings } from '../../../wiring/settings.ts'

interface HeartbeatRouteDeps {
  readonly askStorage: Ask<StorageQueries>
  settings(): SystemSettings
}

/** The heartbeats of the configuration, and whether they beat. */
export function heartbeatRoute({ askStorage, settings }: HeartbeatRouteDeps): AdminRoute {
  return {
    method: 'GET',
    path: '/api/admin/heartbeats',
    async answer() {
      const states = new Map((await askStorage({ kind: 'heartbeats' })).map((state) => [state.name, state]))
      const heartbeats = settings().heartbeats.flatMap((each) => recordOf(each, states.get(each.name)) ?? [])
      return { status: 200, json: { heartbeats } satisfies HeartbeatList }
    },
  }
}

/** During a reload the two may differ: one that only one of them knows is left out. */
function recordOf(settings: HeartbeatSettings, found: HeartbeatState | undefined): HeartbeatRecord | undefined {
  if (found === undefined) return undefined
  const { name, everyMs, graceMs, severity, where, conditions } = settings
  const { state, heardAt, missingSince, dueAt } = found
  return {
    name,
    state,
    heard_at: isoTimeOrNull(heardAt),
    missing_since: isoTimeOrNull(missingSince),
    due_at: isoTimeOrNull(dueAt),
    every_ms: everyMs,
    grace_ms: graceMs,
    severity,
    match: conditionsText({ conditions }),
    line: where,
  }
}
