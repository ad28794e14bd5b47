import type { HeartbeatList } from '../../api/noise/heartbeat.ts'
import { defineCommand } from '../define-command.ts'
import { callApi, serviceOf } from '../service.ts'
import { ANSWER, print } from './answer.ts'
import { alignedLines } from './columns.ts'

export const heartbeats = defineCommand({
  name: 'heartbeats',
  summary: 'list the heartbeats of a running service',
  about: `Asks a running service for its heartbeats: the last sign of life, and when the next one is due. The exit code is 1 while one is
missing. The secret is read from GATEWAY_SECRET or the configuration.`,
  options: ANSWER,
  async run(asked) {
    const list = await callApi<HeartbeatList>(serviceOf(asked), '/api/admin/heartbeats')
    print(asked.json, list, lines)
    return list.heartbeats.some(({ state }) => state === 'missing') ? 1 : 0
  },
})

function lines({ heartbeats: found }: HeartbeatList): string[] {
  if (found.length === 0) return ['no heartbeat is configured']
  return alignedLines([
    ['heartbeat', 'state', 'heard', 'due', 'every', 'grace', 'match'],
    ...found.map(({ name, state, heard_at, due_at, missing_since, every_ms, grace_ms, match }) => {
      const since = state === 'beating' ? state : `${state} since ${missing_since}`
      return [name, since, heard_at ?? '-', due_at ?? '-', `${every_ms / 1_000} s`, `${grace_ms / 1_000} s`, match]
    }),
  ])
}
