import type { Cell, Message } from '../../src/kernel/cell.ts'
import type { Link } from '../../src/kernel/link.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { PEER_WINDOW, type PeerMail } from '../messages/peer.ts'

/** Tells the actor of its peer thread's going and coming; returns the edge it does so by. */
export function notifyOfPeer<M extends Message>(link: Link, cell: Cell<M | PeerMail>): Ref<PeerMail> {
  const edge = nearRef<M | PeerMail>(cell.spec.name, cell.mailbox, PEER_WINDOW)
  link.watch((up) => edge.tell({ kind: 'peer', up }))
  return edge
}
