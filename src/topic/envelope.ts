import { z } from 'zod'
import { CodedError } from '../domain/errors.ts'

const common = {
  MessageId: z.string().regex(/^[\w-]{1,100}$/),
  TopicArn: z.string().max(512),
  Message: z.string(),
  Timestamp: z.iso.datetime(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string().regex(/^[A-Za-z0-9+/]{1,1024}={0,2}$/),
  SigningCertURL: z.string().max(1_024),
}
const confirmed = { ...common, SubscribeURL: z.string().max(4_096), Token: z.string().max(2_048) }

const MESSAGE = z.discriminatedUnion('Type', [
  z.object({
    Type: z.literal('Notification'),
    ...common,
    Subject: z.string().nullish(),
    /** No signature covers them; looked at when the message is believed. */
    MessageAttributes: z.unknown().optional(),
  }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), ...confirmed }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), ...confirmed }),
])

/** A topic message as it is delivered over HTTPS; well formed, and otherwise not to be believed. */
export type TopicMessage = z.output<typeof MESSAGE>
export type Notification = Extract<TopicMessage, { Type: 'Notification' }>
export type Confirmation = Exclude<TopicMessage, Notification>

/** Throws `topic_malformed` with the name of the first field that is wrong, and nothing of what it holds. */
export function messageOf(json: unknown): TopicMessage {
  const parsed = MESSAGE.safeParse(json)
  if (parsed.success) return parsed.data
  const [field] = parsed.error.issues[0]?.path ?? []
  const message = field === undefined ? 'the body is not a topic message' : `${String(field)} is missing or not valid`
  throw new CodedError('topic_malformed', message)
}

/** Longest time that the topic service tries to deliver a message. */
const WINDOW_MS = 3_600_000

/** Older messages are not believed, nor those from further in the future: whoever holds an old one could send it again. Throws `topic_expired`. */
export function refuseExpired({ Timestamp }: TopicMessage, now: number): void {
  if (Math.abs(now - Date.parse(Timestamp)) <= WINDOW_MS) return
  throw new CodedError('topic_expired', 'the message was not published within an hour of this clock')
}
