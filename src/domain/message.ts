import type { Status } from './incident.ts'

/** How payload values are escaped when a template prints them. */
export type Escaping = 'html' | 'chat' | 'markdown' | 'none'

/** The most a provider takes of one message's text. */
export interface TextLimit {
  readonly max: number
  /**
   * `utf16`: code units of the text; `visible`: code units after tags and entities are parsed; `json-bytes`: UTF-8
   * bytes as a JSON string.
   */
  readonly unit: 'utf16' | 'visible' | 'json-bytes'
}

/** How a channel's text is made: what rendering must know of a provider. */
export interface TextRules {
  readonly escaping: Escaping
  readonly limit: TextLimit
  /** The first line may be `Subject: ...`. */
  readonly subject?: boolean
}

/** One message, rendered, escaped and fitted; what a channel puts on the wire. */
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
  /** Where a person acknowledges the incident. */
  readonly ackUrl?: string
  /** Name of one of the channel's other destinations; absent: the default one. */
  readonly target?: string
  /** What the provider called the firing message that this one resolves. */
  readonly inReplyTo?: string
}
