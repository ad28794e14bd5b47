import type { Bot } from './bot.ts'
import type { KeptMessage, Received, Reply } from './exchange.ts'

/** One kind of HTTP provider. */
export interface HttpKind {
  /** Returns the provider's success. @param nth 1-based number of the message */
  success(request: Received, nth: number): Reply
  /** Returns the answer to a request above the rate; absent: `tooMany`. */
  limited?(seconds: number): Reply
  /** Returns what takes presses of buttons and answers requests that send no message; absent: there are neither. */
  openBot?(messages: readonly KeptMessage[]): Bot
  /** Absent: messages of the provider cannot be edited. */
  readonly editing?: Editing
}

/** The usual answer to a request above the rate. */
export const tooMany = (seconds: number): Reply => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: '',
})

/** Reads edits of messages out of a provider's requests. */
export interface Editing {
  /** Returns the id of the chat that a message or an edit is for. */
  chatOf(request: Received): string
  /** Returns the number of the message that a request edits; undefined: it sends a new one. */
  editedBy(request: Received): number | undefined
  /** Returns the name under which a later message of the chat replaces this one; undefined: none does. */
  sequenceOf?(request: Received): string | undefined
  /** The answer to the edit of a message that does not exist. */
  readonly missing: Reply
  /** The answer to an edit that changes nothing; absent: its success. */
  readonly unchanged?: Reply
}
