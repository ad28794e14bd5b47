import { CodedError } from '../domain/errors.ts'
import type { TopicOrigin } from '../domain/topic.ts'
import type { Notification } from './envelope.ts'

/**
 * Returns the body of a message for the intake: the message itself when `check` does not throw. Any other text becomes
 * one incident that holds the text, because the topic does not deliver a message again that was answered 400.
 */
export function bodyOf(message: Buffer, subject: string | null, check: (body: Buffer) => void): Buffer {
  try {
    check(message)
    return message
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const text = message.toString()
    return Buffer.from(JSON.stringify(subject === null ? { message: text } : { message: text, subject }))
  }
}

export function originOf({ MessageId, TopicArn, Subject, Timestamp, MessageAttributes }: Notification): TopicOrigin {
  return {
    message_id: MessageId,
    topic_arn: TopicArn,
    subject: Subject ?? null,
    published_at: Timestamp,
    attributes: attributesOf(MessageAttributes),
  }
}

/** Returns the well-formed attributes and ignores others, so that no message is refused for its attributes. */
function attributesOf(given: unknown): TopicOrigin['attributes'] {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : []
  const known = entries.flatMap(([name, value]) => {
    const { Type: type, Value: text } = { ...(value as { readonly Type?: unknown; readonly Value?: unknown }) }
    return typeof type === 'string' && typeof text === 'string' ? [[name, { type, value: text }] as const] : []
  })
  return Object.fromEntries(known)
}

/** Headers that the topic service sends with every message. */
export const HEADERS = [
  'x-amz-sns-rawdelivery',
  'x-amz-sns-message-type',
  'x-amz-sns-message-id',
  'x-amz-sns-topic-arn',
] as const

type Headers = { readonly [name: string]: string }

export const isRaw = (headers: Headers): boolean => headers['x-amz-sns-rawdelivery'] === 'true'

const ID = /^[\w-]{1,100}$/

/** Returns the origin that a raw message claims: it has no signature. Throws topic_malformed. */
export function rawOrigin(headers: Headers): TopicOrigin {
  const message_id = headers['x-amz-sns-message-id'] ?? ''
  if (headers['x-amz-sns-message-type'] !== 'Notification' || !ID.test(message_id))
    throw new CodedError('topic_malformed', 'the headers are not those of a raw topic message')
  const topic_arn = headers['x-amz-sns-topic-arn'] ?? ''
  return { message_id, topic_arn, subject: null, published_at: null, attributes: {} }
}
