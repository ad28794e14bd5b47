import { Cell, type CellReport } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import { nearRef } from '../../src/kernel/ref.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import { Hub } from '../../src/tail/hub.ts'
import type { TailMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import { type SetFilters, TAIL_WINDOW } from '../messages/tail.ts'
import { tailActor } from './tail.ts'

interface TailCellDeps {
  /** To every worker thread; each has a feed. */
  readonly links: readonly Link[]
  readonly clock: Clock
  readonly scheduler: TurnScheduler
  readonly report: CellReport
  publish(topic: string, text: string): void
  stats(): Promise<unknown>
}

/** The TailActor, wired to the feed of every thread, and what clients join. */
export function createTail({ links, clock, scheduler, report, publish, stats }: TailCellDeps) {
  const notifyFiltersChanged = () => void tailRef.tell({ kind: 'wishes' })
  const hub = new Hub({
    publish,
    filtersChanged: notifyFiltersChanged,
    startedAt: clock.now(),
    now: () => clock.elapsed(),
  })
  const publishers = links.map((link) => link.outlet<SetFilters>('feed', TAIL_WINDOW))
  const cell: Cell<TailMail> = new Cell<TailMail>(
    {
      name: 'tail',
      mailbox: { capacity: links.length * TAIL_WINDOW + PEER_WINDOW, whenFull: 'lag' },
      batch: 256,
      slots: 'held',
      build: () => tailActor({ hub, publishers, clock, stats }),
    },
    { clock, scheduler, report },
  )
  // One that finds no room follows on others that are still to be read, and the actor acts on what is wished by then.
  const tailRef = nearRef<TailMail>('tail', cell.mailbox, PEER_WINDOW)
  for (const link of links) {
    link.inlet('tail', cell.mailbox)
    link.watch((up) => up && notifyFiltersChanged())
  }
  return { hub, cell }
}
