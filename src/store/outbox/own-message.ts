import type { MessageDispatch } from '../../domain/delivery/dispatch.ts'

type OwnMessage = Pick<
  MessageDispatch,
  'content' | 'service' | 'source' | 'sender' | 'fingerprint' | 'createdAt' | 'committedAt' | 'dispatchedAt'
>

/** Content of a message that is printed without a payload. */
export const NO_CONTENT = new TextEncoder().encode('{}')

/** Returns the facts that all messages of the service's own share. `now`: epoch milliseconds. */
export const ownMessage = (now: number): OwnMessage => ({
  content: NO_CONTENT,
  service: 'tocsin',
  source: 'webhook',
  sender: 'custom',
  fingerprint: '',
  createdAt: now,
  committedAt: now,
  dispatchedAt: now,
})

interface NoticeFacts {
  readonly number: number
  readonly attempts: number
  readonly may_duplicate: number
}

/** Returns what the messages of all notices share. */
export const noticeMessage = ({ number, attempts, may_duplicate }: NoticeFacts, now: number) => ({
  ...ownMessage(now),
  kind: 'notice' as const,
  ...{ incident: 0, number, id: `notice-${number}` },
  attempt: attempts + 1,
  mayDuplicate: may_duplicate === 1,
})
