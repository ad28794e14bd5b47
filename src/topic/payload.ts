import { CodedError } from '../domain/errors.ts'
import type { Payload } from '../domain/incident.ts'
import type { TopicOrigin } from '../domain/topic.ts'
import type { Notification } from './envelope.ts'

/** One incident of a message, and its JSON. */
interface PayloadDocument {
  readonly payload: Payload
  readonly bytes: Uint8Array
}

/** Reads JSON as POST /api/incidents does; throws for what it would refuse. */
export type ReadDocuments = (body: Buffer) => readonly PayloadDocument[]

/**
 * What a message says: an object, or a list of objects, as it stands. Anything else becomes one incident with the text in it: refusing it would
 * lose it, since the topic does not deliver again what was answered 400.
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

/** Those that are well formed: no message is lost for its attributes. */
function attributesOf(given: unknown): TopicOrigin['attributes'] {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : []
  const known = entries.flatMap(([name, value]) => {
    const { Type: type, Value: text } = { ...(value as { readonly Type?: unknown; readonly Value?: unknown }) }
    return typeof type === 'string' && typeof text === 'string' ? [[name, { type, value: text }] as const] : []
  })
  return Object.fromEntries(known)
}
