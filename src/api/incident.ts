import { z } from 'zod'
import { NOTIFY_STATUSES, SENDERS, SOURCES, STATUSES } from '../domain/incident.ts'
import type { TopicOrigin as StoredOrigin } from '../domain/topic.ts'
import { AnswerRecord } from './answer.ts'
import { DeliveryDetail } from './delivery.ts'
import { channelName, count, jsonObject, nextCursor, ok, type Shape, time } from './fields.ts'
import { OncallDetail } from './oncall/oncall.ts'

export const IncidentRecord = z
  .object({
    id: z.string().describe('UUIDv7'),
    title: z.string(),
    service: z.string(),
    severity: z.string().describe("The sender's own word, in lower case"),
    status: z.enum(STATUSES).describe('`resolved` when its sender or an operator resolved it'),
    reported_status: z.enum(STATUSES).describe('As its sender reported it'),
    source: z.enum(SOURCES),
    sender: z.enum(SENDERS),
    fingerprint: z.string().describe('Equal for a firing incident and its resolution'),
    created_at: time,
    acked_at: time.nullable(),
    acked_by: z.string().nullable(),
    resolved_at: time.nullable(),
    resolved_by: z
      .string()
      .nullable()
      .describe('Id of the resolved incident that ended it; null: a person did, or nothing'),
    channels_enabled: z.array(channelName),
    channels_notified: z.array(channelName),
    notify_status: z
      .enum(NOTIFY_STATUSES)
      .describe(
        '`pending` while a delivery is unfinished, held ones included; `silenced`: not sent because of a silence',
      ),
    notify_error: z.string().nullable(),
    oncall_triggered: z.boolean(),
    oncall_error: z.string().nullable(),
    silence: count.nullable().describe('Number of the silence that held or holds it; null: none did'),
  })
  .describe('An incident in a list')
export type IncidentRecord = Shape<typeof IncidentRecord>

/** The parts of a topic message beside its payload. */
const TopicOrigin = z.object({
  message_id: z.string(),
  topic_arn: z.string(),
  subject: z.string().nullable(),
  published_at: time.nullable().describe("By the topic's clock; null for raw delivery"),
  attributes: z
    .record(z.string(), z.object({ type: z.string(), value: z.string() }))
    .describe('Not signed by the topic'),
}) satisfies z.ZodType<StoredOrigin>

export const IncidentDetail = IncidentRecord.extend({
  applied: z.boolean().describe('false: accepted, and no delivery of it has begun'),
  problem: count.nullable().describe('Number of its problem; null: not applied'),
  content: jsonObject.describe('The payload as it was sent'),
  topic: TopicOrigin.nullable().describe(
    'null unless it came as a topic message; of the first incident of the message',
  ),
  warnings: z.array(z.string()).describe('Parameters of its request that have no effect, each with the reason'),
  stages: z.object({
    received_at: time,
    committed_at: time,
    first_attempt_at: time.nullable(),
    notified_at: time
      .nullable()
      .describe('End of the attempt that finished the last delivery; null while one is unfinished'),
  }),
  deliveries: z.array(DeliveryDetail),
  answers: z.array(AnswerRecord).describe('What people did to its problem, latest first; at most 20'),
  oncall: OncallDetail.nullable().describe('null for an incident that does not page'),
}).describe('An incident with its payload, deliveries, attempts and page')
export type IncidentDetail = Shape<typeof IncidentDetail>

/** Newest first. */
export const IncidentPage = z.object({
  incidents: z.array(IncidentRecord),
  total: count.describe('Of all pages; a lower bound unless `total_is_exact`'),
  total_is_exact: z.boolean(),
  next_cursor: nextCursor,
  unapplied: count.describe('Accepted incidents that no list shows yet'),
})
export type IncidentPage = Shape<typeof IncidentPage>

/** The body of an acknowledgement or a resolution by an operator. */
export const OperatorRequest = z.object({ by: z.string().exactOptional().describe("The person's name") })

/** As `OperatorRequest`, with what the person found out. */
export const NotedRequest = OperatorRequest.extend({
  note: z
    .string()
    .max(2_000)
    .exactOptional()
    .describe('Is kept with the notes of the problem, where `brief.enable` is true'),
})

export const AcknowledgeAnswer = z.object({
  ok,
  already: z.boolean().describe('The incident was acknowledged before; `acked_at` and `acked_by` are of then'),
  acked_at: time.nullable(),
  acked_by: z.string().nullable(),
})
export type AcknowledgeAnswer = Shape<typeof AcknowledgeAnswer>

export const Done = z.object({ ok })
export type Done = Shape<typeof Done>
