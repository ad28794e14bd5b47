import { z } from 'zod'
import { DELIVERY_STATES } from '../domain/delivery/delivery.ts'
import { AttemptRecord } from './attempt.ts'
import { channelName, count, nextCursor, type Shape, time } from './fields.ts'

export const DeliveryRecord = z
  .object({
    incident_id: z.string(),
    title: z.string().describe('Title of the incident'),
    channel: channelName,
    state: z.enum(DELIVERY_STATES),
    next_attempt_at: time.nullable(),
    target: z.string().nullable().describe('Name of the destination that the request chose; null for the default one'),
    via: z
      .object({
        digest: count.describe('Number of the digest'),
        place: count,
        kind: z
          .enum(['storm', 'repeats', 'flapping', 'group'])
          .describe(
            '`repeats`: its problem fired already, and the digest is of the repeats of this problem alone; `flapping`: its problem flaps, and the digest is of this problem alone; `group`: another problem with the same values has a message, which is edited',
          ),
        update: count.nullable().describe('The first update of the digest that covers the place; null: none yet'),
        notified_at: time.nullable(),
      })
      .nullable()
      .describe('null: it has a message of its own'),
    may_duplicate: z.boolean().describe('An attempt of unknown outcome may have arrived'),
    message_id: z.string().nullable().describe("The provider's id of the message"),
    dead_reason: z.string().nullable(),
    reason: z
      .string()
      .nullable()
      .describe(
        '`fallback of chatws`: it stands in for a destination that fails; null: routes or the request chose it',
      ),
    attempts: count.describe('All attempts, those before a replay included'),
  })
  .describe('A delivery in a list')
export type DeliveryRecord = Shape<typeof DeliveryRecord>

/** A delivery within the detail of its incident: with its attempts and the text of the last one. */
export const DeliveryDetail = DeliveryRecord.omit({ incident_id: true, title: true }).extend({
  attempts: z.array(AttemptRecord),
  text: z.string().nullable().describe('The text that was sent last'),
})
export type DeliveryDetail = Shape<typeof DeliveryDetail>

/** Deliveries of the newest incidents first. */
export const DeliveryPage = z.object({ deliveries: z.array(DeliveryRecord), next_cursor: nextCursor })
export type DeliveryPage = Shape<typeof DeliveryPage>

/** Dead deliveries of all channels or one, of all incidents or one, to all destinations or one. */
export const ReplayRequest = z.object({
  state: z.literal('dead'),
  channel: channelName.exactOptional(),
  id: z.string().exactOptional().describe('Id of an incident'),
  target: z.string().nullable().exactOptional().describe('A destination, as in the list; null for the default one'),
})

export const ReplayAnswer = z.object({ replayed: count.describe('Deliveries that are pending again') })
export type ReplayAnswer = Shape<typeof ReplayAnswer>
