import { z } from 'zod'
import type { HeartbeatSettings } from '../../policy/heartbeat.ts'
import { duration, requiredDuration, text } from '../../settings/fields.ts'
import { match, name } from './routes.ts'

const MAX_HEARTBEATS = 1_000
const SHORTEST_MS = 1_000

const heartbeat = z
  .object({
    name,
    match,
    every: requiredDuration(SHORTEST_MS),
    grace: duration('2m', SHORTEST_MS),
    severity: text('critical'),
  })
  .transform(
    ({ name, match, every, grace, severity }): HeartbeatSettings => ({
      name,
      where: '',
      conditions: match,
      everyMs: every,
      graceMs: grace,
      severity,
    }),
  )

/** `heartbeats`: incidents that must come again and again. Places in the file are filled in by `completed`. */
export const heartbeats = z.array(heartbeat, { error: 'must be a list' }).max(MAX_HEARTBEATS).default([])
