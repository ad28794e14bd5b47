import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { Clock, Timer } from '../../../src/kernel/clock.ts'
import type { Ask } from '../../messages/query.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import type { ReceiverState } from './receiver.ts'

/** Slack ends a connection every few hours, and Telegram may be slow: that is no news. */
const DOWN_MS = 5 * 60_000
/** Storage sends no two notices within this time. */
const AGAIN_MS = 15 * 60_000

interface DownDeps {
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  readonly askStorage: Ask<StorageQueries>
}

/** Returns what follows the states of a channel's way back: storage sends a notice about one that is down for five minutes. */
export function openDownWatch(channel: ChannelName, { clock, askStorage }: DownDeps) {
  let timer: Timer | undefined
  let since = 0
  let isTold = false
  let error = ''

  function tell(): void {
    timer = clock.setTimer(AGAIN_MS, tell)
    isTold = true
    // A notice that storage does not take is asked for again.
    askStorage({ kind: 'wayBack', channel, way: { channel, since, error } }).catch(() => {})
  }

  return ({ state, lastError = '' }: Omit<ReceiverState, 'since'>): void => {
    if (lastError !== '') error = lastError
    if (state !== 'up' && state !== 'off' && state !== 'waiting') {
      if (timer === undefined) since = clock.now()
      timer ??= clock.setTimer(DOWN_MS, tell)
      return
    }
    timer?.cancel()
    timer = undefined
    error = ''
    if (isTold) askStorage({ kind: 'wayBack', channel }).catch(() => {})
    isTold = false
  }
}
