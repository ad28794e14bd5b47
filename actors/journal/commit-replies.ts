import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Receiver } from '../../src/kernel/send-buffer.ts'
import { COMMIT_WINDOW, type Committed } from '../messages/ingest-journal.ts'

/**
 * Replies to the ingest actors of all fronts, which a `Committed` names by index. Replies to a front that is down are
 * dropped: its clients are disconnected.
 */
export function commitReplies(fronts: readonly Link[]): Receiver<Committed> {
  const replies = fronts.map((link) => ({ link, ref: link.outlet<Committed>('ingest', COMMIT_WINDOW) }))
  const [only] = replies
  return only && replies.length === 1 ? only.ref : toSeveralFronts(replies)
}

interface FrontReply {
  readonly link: Link
  readonly ref: Ref<Committed>
}

/** One ref for several links: it has room while all links that are up have some. */
function toSeveralFronts(replies: readonly FrontReply[]): Receiver<Committed> {
  let waiting: (() => void)[] = []
  const up = () => replies.filter(({ link }) => link.up)
  const room = () => Math.min(COMMIT_WINDOW, ...up().map(({ ref }) => ref.room))
  const resumeWhenRoom = () => {
    const full = up().find(({ ref }) => ref.room === 0)
    if (full) return full.ref.whenRoom(resumeWhenRoom)
    const resumed = waiting
    waiting = []
    for (const resume of resumed) resume()
  }
  for (const { link } of replies) link.watch((isUp) => isUp || resumeWhenRoom())
  return {
    tell(committed) {
      const reply = replies[committed.front]
      return !reply?.link.up || reply.ref.tell(committed)
    },
    get room() {
      return room()
    },
    whenRoom(resume) {
      waiting.push(resume)
      resumeWhenRoom()
    },
    whenIdle(resume) {
      const busy = replies.find(({ ref }) => ref.outstanding > 0)
      if (busy) busy.ref.whenIdle(() => this.whenIdle(resume))
      else resume()
    },
  }
}
