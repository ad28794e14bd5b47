import { z } from 'zod'
import { VERDICTS } from '../../domain/pattern-verdict.ts'
import { count, nonNegative, type Shape, time } from '../fields.ts'

export const PatternRecord = z
  .object({
    id: z.string(),
    template: z.string().describe('Text with `<*>` for the parts that vary'),
    first_seen: time,
    last_seen: time,
    count: count.describe('All lines so far'),
    baseline_frequency: nonNegative.describe('Usual number of lines per tick'),
    verdict: z.enum(VERDICTS),
    known_by: z
      .enum(['training', 'grace', 'count', 'operator', ''])
      .describe('Why the pattern is known; "" if it is not'),
    rule_name: z.string().describe('Prefilter rule that let its lines through'),
    source: z.string(),
    service: z.string(),
    tags: z.array(z.string()),
    recent: z.array(count).describe('Lines in each of the latest ticks, the newest last'),
  })
  .describe('A log pattern as the agent knows it')
export type PatternRecord = Shape<typeof PatternRecord>

/** Last seen first. */
export const PatternPage = z.object({ patterns: z.array(PatternRecord), total: count })
export type PatternPage = Shape<typeof PatternPage>

export const PatternLabel = z
  .object({ verdict: z.enum(VERDICTS).exactOptional(), tags: z.array(z.string().max(100)).exactOptional() })
  .describe('at least one of the two')
export type PatternLabel = Shape<typeof PatternLabel>
