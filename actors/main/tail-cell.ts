import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { Hub } from '../../src/tail/hub.ts'
import type { TailMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import { type SetFilters, TAIL_WINDOW } from '../messages/tail.ts'
import type { Spawn } from '../wiring/spawn.ts'
import { tailActor } from './tail.ts'

interface TailCellDeps {
  readonly spawn: Spawn
  /** Links to the threads that publish events. */
  readonly links: readonly Link[]
  readonly clock: Clock
  publish(topic: string, text: string): void
  stats(): Promise<unknown>
}

/** Starts the tail hub's actor with its edges to and from the event publishers. Clients join `hub`. */
export function createTail({ spawn, links, clock, publish, stats }: TailCellDeps) {
  const notifyFiltersChanged = () => void tailRef.tell({ kind: 'filters-changed' })
  const hub = new Hub({
    publish,
    filtersChanged: notifyFiltersChanged,
    startedAt: clock.now(),
    now: () => clock.elapsed(),
  })
  const publishers = links.map((link) => link.outlet<SetFilters>('feed', TAIL_WINDOW))
  const { cell } = spawn<TailMail>({
    name: 'tail',
    places: links.length * TAIL_WINDOW + PEER_WINDOW,
    batch: 256,
    slots: 'held',
    from: links,
    build: () => tailActor({ hub, publishers, clock, stats }),
  })
  const tailRef: Ref<TailMail> = nearRef('tail', cell.mailbox, PEER_WINDOW)
  for (const link of links) link.watch((up) => up && notifyFiltersChanged())
  return { hub, cell }
}
