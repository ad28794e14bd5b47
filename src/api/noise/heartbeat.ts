import { z } from 'zod'
import { count, type Shape, time } from '../fields.ts'

const HeartbeatRecord = z.object({
  name: z.string(),
  state: z
    .enum(['beating', 'missing', 'back'])
    .describe('`back`: heard again, and the resolution of its incident is not applied yet'),
  heard_at: time.nullable().describe('The last sign of life; null: none yet'),
  missing_since: time.nullable(),
  due_at: time.nullable().describe('When it will be missing without another sign of life; null: it is missing'),
  every_ms: count,
  grace_ms: count,
  severity: z.string().describe('Of the incident that is raised without a sign of life'),
  match: z.string().describe('Conditions of a sign of life in words'),
  line: z.string().describe('File and line of the configuration'),
})
export type HeartbeatRecord = Shape<typeof HeartbeatRecord>

export const HeartbeatList = z.object({ heartbeats: z.array(HeartbeatRecord) }).describe('In the order of the file')
export type HeartbeatList = Shape<typeof HeartbeatList>
