import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { CHANNEL_CODE, channelName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'

/** Paused channels: on disk, so that restarts keep them, and in memory, so that `isPaused` needs no query. */
export function openPauses({ db, counts, now }: StoreContext) {
  const paused = db.query<{ channel: number; since: number }>('SELECT channel, since FROM pauses')
  const insert = db.command('INSERT INTO pauses (channel, since) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const remove = db.command('DELETE FROM pauses WHERE channel = ?')
  for (const { channel, since } of paused.all()) counts.pausedAt[channelName(channel)] = since
  return {
    /** Across restarts too; a second pause keeps the time of the first. Callers of `claim` ask `isPaused` before. */
    pause(channel: ChannelName): void {
      insert.run(CHANNEL_CODE[channel], now())
      counts.pausedAt[channel] ??= now()
    },
    resume(channel: ChannelName): void {
      remove.run(CHANNEL_CODE[channel])
      counts.pausedAt[channel] = undefined
    },
    isPaused: (channel: ChannelName): boolean => counts.pausedAt[channel] !== undefined,
  }
}
