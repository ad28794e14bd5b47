import { z } from 'zod'
import { count, nonNegative, type Shape, time } from './fields.ts'

export const percentile = nonNegative.nullable()
export const p50p99 = z.object({ p50: percentile, p99: percentile })

export const IntakeFigures = z
  .object({
    at: time,
    accepted_total: count,
    refused_total: z.record(z.string(), count).describe('By error code'),
    accepted_per_s: nonNegative,
    inflight: count.describe('Accepted and not answered yet'),
    commit_ms: p50p99.describe('From handing a batch to the journal until it is committed'),
    batch_size: p50p99.describe('Incidents per commit'),
    rss_bytes: count,
    uptime_ms: nonNegative,
  })
  .describe('Intake of one replica, as of its last beat')
export type IntakeFigures = Shape<typeof IntakeFigures>

export const ReplicaRecord = z.object({
  name: z.string().describe('`replica.name`; need not be unique'),
  address: z.string().describe('`replica.address`; empty: the other replicas cannot ask this one'),
  version: z.string(),
  role: z.enum(['leader', 'follower']),
  self: z.boolean().describe('The replica that answers'),
  since: time.describe('Start of the process'),
  last_beat_ms: nonNegative.describe('Age of its last beat, by the clock of the database'),
  lease_left_ms: nonNegative.describe('Time after which it counts as gone unless it beats'),
  clock_offset_ms: z.number().nullable().describe('Its clock less that of the database; null: not measured yet'),
  shares: z
    .array(z.enum(['name', 'address']))
    .describe('Settings that another replica has too, which runs at the same time: each must have its own'),
  figures: IntakeFigures.nullable().describe('null before its first beat with figures'),
})
export type ReplicaRecord = Shape<typeof ReplicaRecord>

/** Body of GET /api/admin/replicas. */
export const ReplicaList = z.object({
  leader: z.string().nullable().describe('Name of the replica that leads; null while none does'),
  replicas: z.array(ReplicaRecord).describe('The leader first, then by name'),
})
export type ReplicaList = Shape<typeof ReplicaList>
