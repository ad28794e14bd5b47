import { z } from 'zod'
import { count, nonNegative, type Shape, time } from '../fields.ts'

export const DestinationRecord = z
  .object({
    target: z.string().nullable().describe('Name of the destination; null for the default one'),
    storm: count.nullable().describe('Number of its open digest; null: calm'),
    load: nonNegative.describe('Messages that it has not taken, or that its reader was just given'),
    max_load: count.nullable().describe('From this load on incidents go into a digest; null: never'),
    unfinished: count.describe('Messages about one incident that are not finished'),
    waiting: count.describe('Incidents with a place in a digest that no confirmed update covers'),
    arrived_total: count
      .nullable()
      .describe(
        'Incidents for it since the start, in messages of their own and in digests; null: it never has a digest',
      ),
    next_update_at: time.nullable(),
    bound_ms: nonNegative
      .nullable()
      .describe('An incident is notified within this time while the destination accepts; null: without a bound'),
  })
  .describe('One place behind a channel: calm, or in a storm')
export type DestinationRecord = Shape<typeof DestinationRecord>
