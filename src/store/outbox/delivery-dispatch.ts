import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { MessageDispatch, Rank } from '../../domain/delivery/dispatch.ts'
import type { Problem } from '../../policy/problem.ts'
import type { Lane } from '../engine/counts.ts'
import type { PayloadSlice } from '../journal/payloads.ts'
import type { Tellings } from '../tellings/tellings.ts'
import type { DueRow } from './due.ts'

/** The facts of an incident and its delivery that a message needs. */
export type MessageRow = Omit<DueRow, keyof PayloadSlice | 'detail' | 'earlier_attempts' | 'due_at' | 'silence'>

export type WordsRow = Pick<
  DueRow,
  | 'incident'
  | 'id'
  | 'source'
  | 'sender'
  | 'title'
  | 'service'
  | 'severity'
  | 'status'
  | 'fingerprint'
  | 'created_at'
  | 'problem'
>

/** Returns what a problem knows of its latest incident, which retention may have deleted. */
export const rowOfProblem = ({ id, lastId, lastIncident, state, lastAt, ...words }: Problem): WordsRow => {
  const { source, sender, title, service, severity, fingerprint } = words
  const incident = { incident: lastIncident, id: lastId, status: state, created_at: lastAt, problem: id }
  return { ...incident, source, sender, title, service, severity, fingerprint }
}

/** Returns what messages and pages say of an incident. */
export function wordsOf({ created_at: createdAt, ...row }: WordsRow) {
  const { incident, id, source, sender, title, service, severity, status, fingerprint, problem } = row
  return { incident, id, source, sender, title, service, severity, status, fingerprint, createdAt, problem }
}

/** Returns the dispatch of a stored delivery, without its payload. */
export function deliveryDispatch(
  row: MessageRow,
  { destination: channel }: Lane<ChannelName>,
  tellings: Pick<Tellings, 'messageId'>,
): Omit<MessageDispatch, 'dispatchedAt' | 'content'> {
  const { number, status, fingerprint, target } = row
  const inReplyTo = status === 'resolved' ? tellings.messageId(fingerprint, row.destination) : undefined
  return {
    kind: 'delivery',
    destination: channel,
    code: row.destination,
    rank: row.rank as Rank,
    number,
    ...wordsOf(row),
    committedAt: row.committed_at,
    attempt: row.attempts + 1,
    mayDuplicate: row.may_duplicate === 1,
    ...(row.pages === 0 ? undefined : { pages: true }),
    ...(target === null ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  }
}
