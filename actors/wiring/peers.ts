import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { PeerMail } from '../messages/peer.ts'

/**
 * Sends an actor a notice when the thread beyond a link ends, and when the next one is connected. Counts a notice for
 * which the mailbox has no place as lost: the actor goes on as if the peer were the same.
 */
export function announcePeer(link: Link, actor: Ref<PeerMail>): void {
  link.watch((up) => {
    if (!actor.tell({ kind: 'peer', up })) link.counts.lostNotices++
  })
}
