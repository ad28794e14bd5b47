import type { MessageDispatch } from '../domain/delivery/dispatch.ts'
import type { Message } from '../domain/delivery/message.ts'

/** Stands for the text where only the destination of a message is asked for. */
export const UNRENDERED = { text: '' }

type MessageFacts = Pick<
  MessageDispatch,
  'id' | 'createdAt' | 'title' | 'service' | 'severity' | 'status' | 'target' | 'inReplyTo' | 'broadcast'
>

/** Parts that the sender adds; undefined: the message has none. */
interface Extras {
  readonly ackUrl?: string | undefined
  readonly buttons?: Message['buttons'] | undefined
}

/** Returns the message that a channel sends for an incident and its rendered text. */
export function messageOf(
  incident: MessageFacts,
  { text, subject }: Pick<Message, 'text' | 'subject'>,
  { ackUrl, buttons }: Extras = {},
): Message {
  const { id, createdAt, title, service, severity, status, target, inReplyTo, broadcast } = incident
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
    ...(broadcast === undefined ? {} : { broadcast }),
    ...(buttons === undefined ? {} : { buttons }),
  }
}
