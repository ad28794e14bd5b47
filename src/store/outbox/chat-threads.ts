import type { ChannelName } from '../../domain/delivery.ts'
import { CHANNEL_CODE } from '../engine/column-codes.ts'
import type { Sql } from '../engine/sql.ts'
import { command, query, withoutNul } from '../engine/statement.ts'

/** Key of a chat thread: one for each fingerprint at one destination. */
interface ThreadKey {
  readonly channel: ChannelName
  readonly fingerprint: string
  /** Absent: the channel's default destination. A reply goes to the destination of its firing message only. */
  readonly target: string | null | undefined
}

/** The provider's id of the last firing message of each fingerprint, which its resolution replies to. */
export type ChatThreads = ReturnType<typeof openChatThreads>

export function openChatThreads(db: Sql) {
  const find = query<{ message_id: string }>(
    db,
    'SELECT message_id FROM threads WHERE channel = ? AND fingerprint = ? AND target = ?',
  )
  const save = command(
    db,
    `INSERT INTO threads (channel, fingerprint, target, message_id, incident) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (channel, fingerprint, target) DO UPDATE SET message_id = excluded.message_id, incident = excluded.incident`,
  )
  return {
    messageId: ({ channel, fingerprint, target }: ThreadKey): string | undefined =>
      find.get(CHANNEL_CODE[channel], withoutNul(fingerprint), target ?? '')?.message_id,
    /** Inside `write`. Retention deletes the row together with the incident. */
    save: ({ channel, fingerprint, target }: ThreadKey, messageId: string, incident: number): void =>
      void save.run(CHANNEL_CODE[channel], withoutNul(fingerprint), target ?? '', withoutNul(messageId), incident),
  }
}
