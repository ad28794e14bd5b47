import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Hub } from '../../src/tail/hub.ts'
import type { TailMail } from '../messages/mailboxes.ts'
import type { SetFilters } from '../messages/tail.ts'

interface TailDeps {
  /** Outlives the actor's restarts. */
  readonly hub: Hub
  /** One for each thread on which something happens. */
  readonly publishers: readonly Ref<SetFilters>[]
  readonly clock: Clock
  /** The body of GET /api/admin/stats; rejects while it cannot be had. */
  stats(): Promise<unknown>
}

const TICK_MS = 1_000

/**
 * Brings what happens on the threads to the hub, and has the hub send it on. The messages of a feed keep their places until their events are
 * sent: so the hub's pauses slow the feeds down, and what they cannot keep meanwhile they count.
 */
export function tailActor({ hub, publishers, clock, stats }: TailDeps): Actor<TailMail> {
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
        case 'wishes':
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

  /** A feed that has no room, or whose thread is down, is told what is wanted by then. */
  function setFilters(publisher: Ref<SetFilters>): void {
    if (awaitingRoom.has(publisher) || publisher.tell({ kind: 'listen', filters: hub.filters })) return
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

  /** Statistics that cannot be had now are left out: there are others in a second. */
  async function publishStats(): Promise<void> {
    statsPending = true
    const answer = await stats().catch(() => undefined)
    statsPending = false
    if (state === 'closed' || answer === undefined) return
    hub.announce({ kind: 'stats', at: new Date(clock.now()).toISOString(), stats: answer })
    flushSoon()
  }

  // After a failure somebody may be watching.
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
