import type { DatabaseSync } from 'node:sqlite'
import type { ChannelName } from '../../domain/delivery.ts'
import { CHANNEL_CODE } from '../engine/column-codes.ts'
import { command, query, withoutNul } from '../engine/statement.ts'

/** Where a message of a fingerprint was shown. */
interface ThreadKey {
  readonly channel: ChannelName
  readonly fingerprint: string
  /** Absent: the channel's default destination. A reply must not leave the destination of its firing message. */
  readonly target: string | null | undefined
}

/** The last firing message of each fingerprint, which the resolved one answers. */
export interface ChatThreads {
  messageId(key: ThreadKey): string | undefined
  /** The thread goes when the incident is pruned. */
  save(key: ThreadKey, messageId: string, incident: number): void
}

export function openChatThreads(db: DatabaseSync): ChatThreads {
  const find = query<{ message_id: string }>(
    db,
    'SELECT message_id FROM threads WHERE channel = ? AND fingerprint = ? AND target = ?',
  )
  const save = command(
    db,
    'INSERT OR REPLACE INTO threads (channel, fingerprint, target, message_id, incident) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    messageId: ({ channel, fingerprint, target }) =>
      find.get(CHANNEL_CODE[channel], withoutNul(fingerprint), target ?? '')?.message_id,
    save: ({ channel, fingerprint, target }, messageId, incident) =>
      void save.run(CHANNEL_CODE[channel], withoutNul(fingerprint), target ?? '', withoutNul(messageId), incident),
  }
}
