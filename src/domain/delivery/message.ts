import type { AnswerButton } from '../answer.ts'
import type { Status } from '../incident.ts'

/** Escaping of payload values in a template's output. */
export type Escaping = 'html' | 'chat' | 'markdown' | 'none'

/** Bound of one message's text at a provider. */
export interface TextLimit {
  readonly max: number
  /**
   * `utf16`: code units of the text. `visible`: code units after tags and entities are parsed. `json-bytes`: UTF-8
   * bytes of the JSON string.
   */
  readonly unit: 'utf16' | 'visible' | 'json-bytes'
}

/** Rules for rendering a channel's text. */
export interface TextRules {
  readonly escaping: Escaping
  readonly limit: TextLimit
  /** The first line may be `Subject: ...`. */
  readonly subject?: boolean
}

/** One message, rendered, escaped and cut to the provider's limit. */
export interface Message {
  readonly incidentId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly text: string
  /** From the template's `Subject:` line; no line breaks. */
  readonly subject?: string
  /** Link that acknowledges the incident. */
  readonly ackUrl?: string
  /** Name of one of the channel's other destinations; absent: the default one. */
  readonly target?: string
  /** The provider's id of the firing message that this one resolves. */
  readonly inReplyTo?: string
  /** The reply is shown in the chat itself too, as that of a resolution. */
  readonly broadcast?: true
  /** Buttons below the text, in their order; absent: nobody answers from this channel. */
  readonly buttons?: readonly AnswerButton[]
}
