import type { Dispatch } from '../domain/commit.ts'
import type { Message } from '../domain/message.ts'

/** For questions that a text does not matter to. */
export const UNRENDERED = { text: '' }

type MessageFacts = Pick<
  Dispatch,
  'id' | 'createdAt' | 'title' | 'service' | 'severity' | 'status' | 'target' | 'inReplyTo'
>

/** What a channel is given to send. */
export function messageOf(
  incident: MessageFacts,
  { text, subject }: Pick<Message, 'text' | 'subject'>,
  ackUrl?: string,
): Message {
  const { id, createdAt, title, service, severity, status, target, inReplyTo } = incident
  return {
    incidentId: id,
    createdAt,
    title,
    service,
    severity,
    status,
    text,
    ...(subject === undefined ? {} : { subject }),
    ...(ackUrl === undefined ? {} : { ackUrl }),
    ...(target === undefined ? {} : { target }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
  }
}
