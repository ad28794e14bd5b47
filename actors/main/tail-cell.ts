import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { Hub } from '../../src/tail/hub.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import type { TailMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import { type SetFilters, TAIL_WINDOW } from '../messages/tail.ts'
import type { Spawn } from '../wiring/spawn.ts'

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

interface TailDeps {
  /** Outlives the actor's restarts. */
  readonly hub: Hub
  /** The event publishers, one for each thread. */
  readonly publishers: readonly Ref<SetFilters>[]
  readonly clock: Clock
  /** The body of GET /api/admin/stats; rejects while a thread does not answer. */
  stats(): Promise<unknown>
}

const TICK_MS = 1_000

/**
 * Passes the events of all threads to the hub and has the hub send them. A message keeps its slot until its events are
 * sent, so the hub's pauses slow the publishers down; they count the events they cannot keep meanwhile.
 */
function tailActor({ hub, publishers, clock, stats }: TailDeps): Actor<TailMail> {
  const awaitingRoom = new Set<Ref<SetFilters>>()
  let heldSlots: Slot[] = []
  let state: 'up' | 'closed' = 'up'
  let flushAt = 0
  let flushing: Timer | undefined
  let ticking: Timer | undefined
  let statsPending = false

  function receive(batch: readonly TailMail[], slots: readonly Slot[]): void {
    batch.forEach((mail, at) => {
      const slot = slots[at] as Slot
      switch (mail.kind) {
        case 'events':
          hub.accept(mail.events, mail.lost)
          heldSlots.push(slot)
          flushSoon()
          return
        case 'filters-changed':
          slot.free()
          applyFilters()
          return
        default:
          mail satisfies never
      }
    })
  }

  function flushSoon(): void {
    flushing ??= clock.setTimer(Math.max(0, flushAt - clock.elapsed()), flush)
  }

  function flush(): void {
    flushing = undefined
    flushAt = clock.elapsed() + hub.flush()
    freeSlots()
  }

  function freeSlots(): void {
    const slots = heldSlots
    heldSlots = []
    for (const slot of slots) slot.free()
  }

  function applyFilters(): void {
    for (const publisher of publishers) setFilters(publisher)
    if (hub.filters.length > 0) ticking ??= clock.setTimer(TICK_MS, tick)
  }

  /** Sends the current filters, or those of the moment in which there is room, or the thread is up. */
  function setFilters(publisher: Ref<SetFilters>): void {
    if (awaitingRoom.has(publisher) || publisher.tell({ kind: 'set-filters', filters: hub.filters })) return
    awaitingRoom.add(publisher)
    publisher.whenRoom(() => {
      awaitingRoom.delete(publisher)
      setFilters(publisher)
    })
  }

  function tick(): void {
    ticking = hub.filters.length > 0 ? clock.setTimer(TICK_MS, tick) : undefined
    hub.sweep()
    if (hub.wantsStats && !statsPending) void publishStats()
  }

  /** Leaves out statistics that fail: the next ones come in a second. */
  async function publishStats(): Promise<void> {
    statsPending = true
    const answer = await stats().catch(() => undefined)
    statsPending = false
    if (state === 'closed' || answer === undefined) return
    hub.announce({ kind: 'stats', at: isoTime(clock.now()), stats: answer })
    flushSoon()
  }

  // After a failure the hub may have subscribers.
  applyFilters()
  return {
    receive,
    close() {
      state = 'closed'
      flushing?.cancel()
      ticking?.cancel()
      freeSlots()
    },
  }
}
