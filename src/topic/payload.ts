import { CodedError } from '../domain/errors.ts'
import type { Payload } from '../domain/incident.ts'
import type { TopicOrigin } from '../domain/topic.ts'
import type { Notification } from './envelope.ts'

/** One incident of a topic message, with its JSON. */
interface PayloadDocument {
  readonly payload: Payload
  readonly bytes: Uint8Array
}

/** Parses a body as POST /api/incidents does, and throws the same errors. */
export type ReadDocuments = (body: Buffer) => readonly PayloadDocument[]

/**
 * Returns the incidents of a message: an object, or each object of an array. Any other text becomes one incident that
 * holds the text, because the topic does not deliver a message again that was answered 400.
 */
export function documentsIn(message: Buffer, subject: string | null, read: ReadDocuments): readonly PayloadDocument[] {
  try {
    return read(message)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const text = message.toString()
    const payload = subject === null ? { message: text } : { message: text, subject }
    return [{ payload, bytes: Buffer.from(JSON.stringify(payload)) }]
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
