import type { HeartbeatList, HeartbeatRecord } from '../../api/noise/heartbeat.ts'
import { defineCommand } from '../define-command.ts'
import { callApi, serviceOf } from '../service.ts'
import { ANSWER, print } from './answer.ts'
import { alignedLines } from './columns.ts'

export const heartbeats = defineCommand({
  name: 'heartbeats',
  summary: 'list the heartbeats of a running service',
  about: `Asks a running service for its heartbeats: the last sign of life, and when the next one is due. The exit code is 1 while one is
missing, failed, or runs for too long. The secret is read from GATEWAY_SECRET or the configuration.`,
  options: ANSWER,
  async run(asked) {
    const list = await callApi<HeartbeatList>(serviceOf(asked), '/api/admin/heartbeats')
    print(asked.json, list, lines)
    return list.heartbeats.some(({ state }) => state !== 'beating' && state !== 'back') ? 1 : 0
  },
})

function lines({ heartbeats: found }: HeartbeatList): string[] {
  if (found.length === 0) return ['no heartbeat is configured']
  return alignedLines([
    ['heartbeat', 'state', 'why', 'heard', 'due', 'schedule', 'grace', 'run', 'match'],
    ...found.map((each) => {
      const { name, state, why, heard_at, due_at, missing_since, grace_ms, match } = each
      const since = state === 'beating' ? state : `${state} since ${missing_since}`
      const schedule = each.cron === null ? `every ${(each.every_ms ?? 0) / 1_000} s` : `${each.cron} ${each.time_zone}`
      const times = [heard_at ?? '-', due_at ?? '-', schedule, `${grace_ms / 1_000} s`]
      return [name, since, why ?? '-', ...times, runOf(each), match || '-']
    }),
  ])
}

function runOf({ running_since, last_run_ms }: HeartbeatRecord): string {
  if (running_since !== null) return `since ${running_since}`
  return last_run_ms === null ? '-' : `${last_run_ms / 1_000} s`
}
