import type { HeartbeatList, HeartbeatRecord } from '../../../../src/api/noise/heartbeat.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import { conditionsText } from '../../../../src/policy/describe.ts'
import type { HeartbeatSettings } from '../../../../src/policy/heartbeat.ts'
import type { HeartbeatState } from '../../../../src/store/ports/heartbeats.ts'
import { isoTimeOrNull } from '../../../../src/text/iso-time.ts'
import { type RouteDeps, route } from '../route.ts'

/** The heartbeats of the configuration, and whether they beat. */
export function heartbeatRoute({ askStorage, settings }: Pick<RouteDeps, 'askStorage' | 'settings'>): AdminRoute {
  return route<HeartbeatList>('GET', '/api/admin/heartbeats', async () => {
    const states = new Map((await askStorage({ kind: 'heartbeats' })).map((state) => [state.name, state]))
    return { heartbeats: settings().heartbeats.flatMap((each) => recordOf(each, states.get(each.name)) ?? []) }
  })
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
