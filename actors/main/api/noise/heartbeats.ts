import type { HeartbeatDetail, HeartbeatList, HeartbeatRecord } from '../../../../src/api/noise/heartbeat.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import { conditionsText } from '../../../../src/policy/describe.ts'
import type { HeartbeatSettings } from '../../../../src/policy/heartbeat.ts'
import type { HeartbeatState } from '../../../../src/store/heartbeats/heartbeats.ts'
import { isoTime, isoTimeOrNull } from '../../../../src/text/iso-time.ts'
import { reasonText } from '../../heartbeat-texts.ts'
import { type RouteDeps, route } from '../route.ts'

/** The heartbeats of the configuration, and whether they beat. */
export function heartbeatRoutes({ askStorage, settings }: Pick<RouteDeps, 'askStorage' | 'settings'>): AdminRoute[] {
  async function records(): Promise<HeartbeatRecord[]> {
    const states = new Map((await askStorage({ kind: 'heartbeats' })).map((state) => [state.name, state]))
    return settings().heartbeats.flatMap((each) => recordOf(each, states.get(each.name)) ?? [])
  }
  return [
    route<HeartbeatList>('GET', '/api/admin/heartbeats', async () => ({ heartbeats: await records() })),
    route<HeartbeatDetail>('GET', '/api/admin/heartbeats/:name', async ({ params }) => {
      const found = (await records()).find(({ name }) => name === params.name)
      if (found === undefined) throw new CodedError('not_found')
      return { ...found, output: await askStorage({ kind: 'pingOutput', name: found.name }) }
    }),
  ]
}

/** During a reload the two may differ: one that only one of them knows is left out. */
function recordOf(settings: HeartbeatSettings, found: HeartbeatState | undefined): HeartbeatRecord | undefined {
  if (found === undefined) return undefined
  const { name, everyMs, graceMs, severity, where, conditions, cron, maxRunMs, slug } = settings
  const { state, heardAt, missingSince, dueAt, lastPing } = found
  return {
    name,
    state,
    why: whyOf(settings, found),
    heard_at: isoTimeOrNull(heardAt),
    missing_since: isoTimeOrNull(missingSince),
    due_at: isoTimeOrNull(dueAt),
    running_since: isoTimeOrNull(found.runningSince),
    last_run_ms: found.lastRunMs,
    last_signal: lastPing?.signal ?? null,
    last_signal_at: isoTimeOrNull(lastPing?.at),
    output_bytes: lastPing?.outputBytes ?? 0,
    every_ms: everyMs ?? null,
    cron: cron?.times ?? null,
    time_zone: cron?.timeZone ?? null,
    grace_ms: graceMs,
    max_run_ms: maxRunMs,
    slug: slug ?? null,
    severity,
    match: conditions.length === 0 ? '' : conditionsText({ conditions }),
    line: where,
  }
}

function whyOf({ maxRunMs }: HeartbeatSettings, { why, notJudgedAt }: HeartbeatState): string | null {
  if (why !== null) return reasonText(why, maxRunMs)
  return notJudgedAt === null ? null : `${isoTime(notJudgedAt)} was not judged: the service was down`
}
