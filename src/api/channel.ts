import { z } from 'zod'
import { channelName, count, nonNegative, ok, type Shape, time } from './fields.ts'
import { DestinationRecord } from './noise/destination.ts'

const Circuit = z.object({
  destination: z.string(),
  state: z.enum(['closed', 'open', 'half_open']),
  retry_at: time.nullable().describe('When a probe may go; null unless open'),
})

const Limiter = z.object({
  destination: z.string(),
  waiting: count.describe('Deliveries that wait for the rate now'),
  waits_total: count,
  waited_ms_total: nonNegative,
})

const DeadNotice = z
  .object({
    state: z.string().describe('State of its delivery'),
    via: channelName.nullable().describe('The channel that carries it'),
    attempts: count,
    first_at: time.nullable().describe('First attempt'),
    ended_at: time.nullable().describe('End of the last attempt'),
  })
  .nullable()
  .describe('The last notice about dead deliveries of this channel, which another channel carries')

const ReceiverRecord = z
  .object({
    mode: z.string().describe('`answers.mode` of the channel'),
    state: z
      .enum(['off', 'waiting', 'connecting', 'up', 'backing_off', 'refused'])
      .describe(
        '`waiting`: this replica does not lead. `refused`: the provider does not take the credentials, or another program has the bot; it is tried again within five minutes',
      ),
    since: time,
    last_error: z.string().nullable(),
  })
  .nullable()
  .describe('The way back of presses on its messages; null: it has none')

export const ChannelRecord = z
  .object({
    name: channelName,
    enabled: z.boolean(),
    paused: z.boolean(),
    paused_at: time.nullable(),
    mailbox: z.object({ depth: count.describe('Places that are taken'), capacity: count }),
    sending: count.describe('Requests to the provider that are under way'),
    concurrency: count,
    rate: z.object({ per_second: nonNegative, burst: nonNegative }),
    circuit: z.array(Circuit),
    limiter: z.array(Limiter),
    backlog: z.object({
      pending: count,
      sending: count,
      oldest_pending_at: time.nullable(),
      oldest_pending_age_ms: nonNegative.nullable(),
    }),
    counters: z
      .object({ sent: count, retried: count, dead: count, rendered_plain: count })
      .describe('Since the start; `rendered_plain`: the template failed and plain text was sent'),
    last_sent_at: time.nullable(),
    last_error: z
      .object({ at: time, detail: z.string(), incident_id: z.string().nullable().describe('null for a notice') })
      .nullable(),
    dead: count.describe('Dead deliveries that a replay would try again'),
    dead_notice: DeadNotice,
    targets: z.array(z.string()).describe('Names of the destinations beside the default one'),
    destinations: z.array(DestinationRecord).describe('The default one first; empty while the channel is not enabled'),
    receiver: ReceiverRecord,
    limits: z.object({ max: count, unit: z.string() }).describe('Longest text of a message'),
  })
  .describe('A channel with its settings and its health')
export type ChannelRecord = Shape<typeof ChannelRecord>

export const ChannelList = z.object({ channels: z.array(ChannelRecord) })
export type ChannelList = Shape<typeof ChannelList>

export const PauseAnswer = z.object({ ok, name: channelName, paused: z.literal(true) })
export type PauseAnswer = Shape<typeof PauseAnswer>

export const ResumeAnswer = z.object({ ok, name: channelName, paused: z.literal(false) })
export type ResumeAnswer = Shape<typeof ResumeAnswer>

export const TestMessageRequest = z.object({
  target: z.string().exactOptional().describe('Name of a destination beside the default one'),
})

export const TestMessageAnswer = z.object({
  ok: z.boolean().describe('Whether the provider accepted the message'),
  name: channelName,
  detail: z.string().describe("The provider's answer, or why there was none"),
  text: z.string().describe('The text that was sent'),
  message_id: z.string().nullable(),
  render_fault: z.string().nullable().describe('Why the template failed, and plain text was sent instead'),
  render_ms: nonNegative,
  limiter_wait_ms: nonNegative,
  duration_ms: nonNegative,
})
export type TestMessageAnswer = Shape<typeof TestMessageAnswer>
