import { type ActorSpec, Cell, type CellReport, type Message } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Mailbox } from '../../src/kernel/mailbox.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import { PEER_WINDOW, type PeerMail } from '../messages/peer.ts'

interface ActorPlan<M extends Message> extends Omit<ActorSpec<M>, 'mailbox'> {
  /** The name that other threads send to; `name` when absent. */
  readonly address?: string
  /** Sum of the windows of all edges that lead to the actor. Places for peer notices are added. */
  readonly places: number
  /** Links over which messages come. */
  readonly from: readonly Link[]
  /** Links of which the actor is sent peer notices. */
  readonly watch?: PeerMail extends M ? readonly Link[] : never
}

/** Starts one actor: a cell that supervises it, its mailbox, the inlets of its links, and its peer notices. */
export type Spawn = ReturnType<typeof createSpawn>

interface SpawnDeps {
  readonly clock: Clock
  readonly scheduler: TurnScheduler
  readonly report: CellReport
}

export function createSpawn(deps: SpawnDeps) {
  return <M extends Message>(plan: ActorPlan<M>) => {
    const { name, address = name, places, from, watch = [], ...spec } = plan
    const capacity = places + (watch.length > 0 ? PEER_WINDOW : 0)
    const cell = new Cell<M>({ ...spec, name, mailbox: { capacity } }, deps)
    for (const link of from) link.inlet(address, cell.mailbox)
    /** The edge that peer notices use. */
    const peers = nearRef(name, cell.mailbox as unknown as Mailbox<PeerMail>, PEER_WINDOW)
    for (const link of watch) announcePeer(link, peers)
    return { cell, peers }
  }
}

/**
 * Sends an actor a notice when the thread beyond a link ends, and when the next one is connected. Counts a notice for
 * which the mailbox has no place as lost: the actor goes on as if the peer were the same.
 */
function announcePeer(link: Link, actor: Ref<PeerMail>): void {
  link.watch((up) => {
    if (!actor.tell({ kind: 'peer', up })) link.counts.lostNotices++
  })
}
