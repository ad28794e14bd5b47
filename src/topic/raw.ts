import { CodedError } from '../domain/errors.ts'
import type { TopicOrigin } from '../domain/topic.ts'

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
