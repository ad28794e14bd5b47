import { type Signal, signal } from '@preact/signals'
import type { ChannelList } from '../../../src/api/channel.ts'
import type { ReplayAnswer } from '../../../src/api/delivery.ts'
import { get, post } from '../../api/client.ts'

/** Progress of a replay: of `total` deliveries `left` are not finished, and `dead` failed again. */
interface ReplayCounts {
  readonly total: number
  readonly left: number
  readonly dead: number
}

/** Absent: all. `target`: null is the default destination. */
export interface DeadFilter {
  readonly channel?: string
  readonly id?: string
  readonly target?: string | null
}

const POLL_MS = 750

/** Progress of the last replay; undefined when there is none or it was dismissed. */
export const progress: Signal<ReplayCounts | undefined> = signal<ReplayCounts | undefined>(undefined)

/**
 * Puts dead letters back into the queue, all or those of a channel, incident or destination, and follows them in `progress`.
 * Returns their number. Rejects with an ApiError.
 */
export async function replay(filter: DeadFilter): Promise<number> {
  const { replayed } = await post<ReplayAnswer>('/api/admin/deliveries/replay', { state: 'dead', ...filter })
  if (replayed === 0) return 0
  const { dead } = await countsNow(filter.channel)
  progress.value = { total: replayed, left: replayed, dead: 0 }
  void follow(progress.value, dead, filter.channel)
  return replayed
}

/** Updates `progress` until nothing is left, the person dismisses it, or another replay begins. */
async function follow(begun: ReplayCounts, deadBefore: number, channel: string | undefined): Promise<void> {
  for (let shown = begun; shown.left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const now = await countsNow(channel).catch(() => undefined)
    if (progress.peek() !== shown) return
    if (now === undefined) continue
    // An upper bound, because the backlog also has new deliveries. It reaches zero when the backlog does.
    const left = Math.min(shown.left, now.unfinished)
    shown = { total: begun.total, left, dead: Math.max(0, now.dead - deadBefore) }
    progress.value = shown
  }
}

async function countsNow(channel: string | undefined): Promise<{ unfinished: number; dead: number }> {
  const { channels } = await get<ChannelList>('/api/admin/channels')
  const meant = channels.filter(({ name }) => channel === undefined || name === channel)
  return {
    unfinished: meant.reduce((sum, { backlog }) => sum + backlog.pending + backlog.sending, 0),
    dead: meant.reduce((sum, { dead }) => sum + dead, 0),
  }
}
