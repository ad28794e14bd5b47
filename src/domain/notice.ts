import type { Destination } from './delivery.ts'

/** Content of a message that no incident's payload fills. */
export type Notice = Failures | FollowUp

/** Deliveries of a channel, or pages, have died. */
export interface Failures {
  readonly kind: 'failures'
  readonly about: Destination
  /** Number of dead ones now. */
  readonly dead: number
  /** Reason of the latest one; scrubbed, as in the ledger. */
  readonly reason: string
}

/** A person acknowledged or resolved the incident; goes to the thread of its message. */
export interface FollowUp {
  readonly kind: 'follow-up'
  readonly word: 'acknowledged' | 'resolved'
  readonly by: string
  readonly title: string
}

/** Returns the follow-up's text, which is also its push notification. */
export function followUpLine({ word, by, title }: Pick<FollowUp, 'word' | 'by' | 'title'>): string {
  return `${word === 'acknowledged' ? '✅ Acknowledged' : '🟢 Resolved'} by ${by}: ${title}`
}
