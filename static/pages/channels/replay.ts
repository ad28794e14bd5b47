import { type Signal, signal } from '@preact/signals'
import { get, post } from '../../api/client.ts'
import type { Channel } from '../../api/shapes.ts'

/** How a replay goes on: of `total` that were put back, `left` are not finished, `dead` died again. */
export interface Progress {
  readonly total: number
  readonly left: number
  readonly dead: number
}

const LOOK_MS = 750

/** Of the replay that was asked for last; undefined: none. */
export const progress: Signal<Progress | undefined> = signal<Progress | undefined>(undefined)

/** Puts dead letters back into the queue and follows them; `channel` and `id` narrow them down. Rejects when it is refused. */
export async function replay(filter: { readonly channel?: string; readonly id?: string }): Promise<number> {
  const { replayed } = await post<{ replayed: number }>('/api/admin/deliveries/replay', { state: 'dead', ...filter })
  if (replayed === 0) return 0
  progress.value = { total: replayed, left: replayed, dead: 0 }
  const before = await standing(filter.channel)
  void follow(replayed, before.dead, filter.channel)
  return replayed
}

async function follow(total: number, deadBefore: number, channel: string | undefined): Promise<void> {
  for (let left = total; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const now = await standing(channel).catch(() => undefined)
    if (now === undefined) continue
    // What came meanwhile is in the backlog too: a replay is done at the latest when nothing is left there.
    left = Math.min(left, now.unfinished)
    progress.value = { total, left, dead: Math.max(0, now.dead - deadBefore) }
  }
}

async function standing(channel: string | undefined): Promise<{ unfinished: number; dead: number }> {
  const { channels } = await get<{ readonly channels: readonly Channel[] }>('/api/admin/channels')
  const meant = channels.filter(({ name }) => channel === undefined || name === channel)
  return {
    unfinished: meant.reduce((sum, { backlog }) => sum + backlog.pending + backlog.sending, 0),
    dead: meant.reduce((sum, { dead }) => sum + dead, 0),
  }
}
