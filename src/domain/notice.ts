import { CHANNEL_NAMES, type ChannelName } from './delivery.ts'

/** What may fail so that people have to be told. */
export const NOTICE_SUBJECTS = [...CHANNEL_NAMES, 'oncall'] as const
export type NoticeSubject = ChannelName | 'oncall'

/** What a message of the service's own tells. */
export type Notice = Failures | FollowUp

/** Deliveries of a channel, or pages, have died. */
export interface Failures {
  readonly kind: 'failures'
  readonly about: NoticeSubject
  /** How many are dead now. */
  readonly dead: number
  /** Of the latest incident among them; scrubbed, as in the ledger. */
  readonly reason: string
}

/** Somebody took care of an incident that people were told of; goes to the thread of its message. */
export interface FollowUp {
  readonly kind: 'follow-up'
  readonly word: 'acknowledged' | 'resolved'
  readonly by: string
  readonly title: string
}

/** The follow-up's line, which is also what a push notification shows. */
export function followUpLine({ word, by, title }: Pick<FollowUp, 'word' | 'by' | 'title'>): string {
  return `${word === 'acknowledged' ? '✅ Acknowledged' : '🟢 Resolved'} by ${by}: ${title}`
}
