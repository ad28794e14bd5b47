import { z } from 'zod'
import { count, type Shape } from './fields.ts'

const TopicSubscriptionState = z.object({
  state: z
    .enum(['idle', 'asking', 'pending', 'subscribed', 'stopped'])
    .describe(
      '`asking`: a call is under way or waits for its time; `pending`: the topic has yet to ask for a confirmation',
    ),
  failures: count,
  last_error: z.string().nullable(),
})
export type TopicSubscriptionState = Shape<typeof TopicSubscriptionState>

/** Counts since the start. */
const TopicCounts = z.object({ taken: count, refused: z.record(z.string(), count).describe('By error code') })
export type TopicCounts = Shape<typeof TopicCounts>

/** State of the intake from a notification topic. */
export const TopicStatus = z.object({
  enabled: z.boolean(),
  topic_arn: z.string(),
  subscription: TopicSubscriptionState.nullable(),
  messages: TopicCounts,
})
export type TopicStatus = Shape<typeof TopicStatus>
