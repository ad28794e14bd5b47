import type { Link } from '../../src/kernel/link.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'

/**
 * Returns a buffer for replies to an actor of another thread. Replies that wait when that thread ends or starts are
 * dropped: the thread that asked is gone.
 */
export function repliesOver<M>(link: Link, actor: string, window: number): SendBuffer<M> {
  const replies = new SendBuffer<M>(link.outlet(actor, window))
  link.watch(() => replies.clear())
  return replies
}
