import { z } from 'zod'
import { count, type Shape, time } from '../fields.ts'

/** Also the entry in shadow.json, where entries of earlier versions may hold other fields. */
export const ShadowEvent = z
  .looseObject({
    pattern_id: z.string(),
    template: z.string(),
    source: z.string(),
    service: z.string(),
    rule_name: z.string(),
    verdict: z.string().describe('`unknown` or `spike`'),
    sample_message: z.string(),
    count: count.describe('Lines'),
    occurrences: count.describe('Incidents that would have been raised'),
    first_seen: time,
    last_seen: time,
  })
  .describe('The incidents that shadow mode would have raised about one pattern')
export type ShadowEvent = Shape<typeof ShadowEvent>

/** Newest first. */
export const ShadowEventList = z.object({ events: z.array(ShadowEvent) })
export type ShadowEventList = Shape<typeof ShadowEventList>
