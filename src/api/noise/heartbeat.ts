import { z } from 'zod'
import { PING_SIGNALS } from '../../domain/heartbeat.ts'
import { count, type Shape, time } from '../fields.ts'

const HeartbeatRecord = z.object({
  name: z.string(),
  state: z
    .enum(['beating', 'missing', 'failed', 'overrun', 'back'])
    .describe(
      '`failed`: the last ping reported a failure; `overrun`: a run did not end in time; `back`: heard again, and the resolution of its incident is not applied yet',
    ),
  why: z.string().nullable().describe('Why it does not beat, or what was not judged, in words'),
  heard_at: time.nullable().describe('The last sign of life; null: none yet'),
  missing_since: time.nullable().describe('Since when it does not beat'),
  due_at: time
    .nullable()
    .describe('When it will be missing without another sign of life; null: it does not beat, or nothing is due'),
  running_since: time.nullable().describe('Begin of the run that did not end yet'),
  last_run_ms: count.nullable().describe('How long the last run took'),
  last_signal: z.enum(PING_SIGNALS).nullable().describe('Of the last ping since the database thread started'),
  last_signal_at: time.nullable(),
  output_bytes: count.describe('Bytes of the output of the last ping'),
  every_ms: count.nullable().describe('null: it goes by `cron`'),
  cron: z.string().nullable(),
  time_zone: z.string().nullable(),
  grace_ms: count,
  max_run_ms: count,
  slug: z.string().nullable(),
  severity: z.string().describe('Of the incident that is raised without a sign of life'),
  match: z.string().describe('Conditions of a sign of life in words; empty: only pings are'),
  line: z.string().describe('File and line of the configuration'),
})
export type HeartbeatRecord = Shape<typeof HeartbeatRecord>

export const HeartbeatDetail = HeartbeatRecord.extend({
  output: z
    .string()
    .describe('Of the last ping, at most 10,000 bytes; empty when it had none, or it is not known any more'),
})
export type HeartbeatDetail = Shape<typeof HeartbeatDetail>

export const HeartbeatList = z.object({ heartbeats: z.array(HeartbeatRecord) }).describe('In the order of the file')
export type HeartbeatList = Shape<typeof HeartbeatList>
