import { Cell, type CellReport } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import { nearRef } from '../../src/kernel/ref.ts'
import type { Turns } from '../../src/kernel/turn-scheduler.ts'
import { Hub } from '../../src/tail/hub.ts'
import type { TailMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import { FEED_WINDOW, type Listen } from '../messages/tail.ts'
import { tailActor } from './tail.ts'

export interface TailParts {
  /** To every worker thread; each has a feed. */
  readonly links: readonly Link[]
  readonly clock: Clock
  readonly turns: Turns
  readonly report: CellReport
  publish(topic: string, text: string): void
  stats(): Promise<unknown>
}

/** The TailActor, wired to the feed of every thread, and what clients join. */
export function tailOn({ links, clock, turns, report, publish, stats }: TailParts) {
  const wish = () => void wishes.tell({ kind: 'wishes' })
  const hub = new Hub({ publish, wishesChanged: wish, startedAt: clock.now(), now: () => clock.elapsed() })
  const feeds = links.map((link) => link.outlet<Listen>('feed', FEED_WINDOW))
  const cell: Cell<TailMail> = new Cell<TailMail>(
    {
      name: 'tail',
      mailbox: { capacity: links.length * FEED_WINDOW + PEER_WINDOW, whenFull: 'lag' },
      batch: 256,
      places: 'held',
      build: () => tailActor({ hub, feeds, clock, stats }),
    },
    { clock, turns, report },
  )
  // One that finds no room follows on others that are still to be read, and the actor acts on what is wished by then.
  const wishes = nearRef<TailMail>('tail', cell.mailbox, PEER_WINDOW)
  for (const link of links) {
    link.inlet('tail', cell.mailbox)
    link.watch((up) => up && wish())
  }
  return { hub, cell }
}
