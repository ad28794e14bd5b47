import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Place } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Hub } from '../../src/tail/hub.ts'
import type { TailMail } from '../messages/mailboxes.ts'
import type { Listen } from '../messages/tail.ts'

export interface TailTools {
  /** Outlives the actor's restarts. */
  readonly hub: Hub
  /** One for each thread on which something happens. */
  readonly feeds: readonly Ref<Listen>[]
  readonly clock: Clock
  /** The body of GET /api/admin/stats; rejects while it cannot be had. */
  stats(): Promise<unknown>
}

const TICK_MS = 1_000

/**
 * Brings what happens on the threads to the hub, and has the hub send it on. The messages of a feed keep their places until their events are
 * sent: so the hub's pauses slow the feeds down, and what they cannot keep meanwhile they count.
 */
export function tailActor({ hub, feeds, clock, stats }: TailTools): Actor<TailMail> {
  const waiting = new Set<Ref<Listen>>()
  let held: Place[] = []
  let state: 'up' | 'closed' = 'up'
  let flushAt = 0
  let flushing: Timer | undefined
  let ticking: Timer | undefined
  let asking = false

  function receive(batch: readonly TailMail[], places: readonly Place[]): void {
    batch.forEach((mail, at) => {
      const place = places[at] as Place
      switch (mail.kind) {
        case 'events':
          hub.accept(mail.events, mail.lost)
          held.push(place)
          flushSoon()
          return
        case 'wishes':
          place.settle()
          watch()
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
    settle()
  }

  function settle(): void {
    const places = held
    held = []
    for (const place of places) place.settle()
  }

  function watch(): void {
    for (const feed of feeds) listen(feed)
    if (hub.filters.length > 0) ticking ??= clock.setTimer(TICK_MS, tick)
  }

  /** A feed that has no room, or whose thread is down, is told what is wanted by then. */
  function listen(feed: Ref<Listen>): void {
    if (waiting.has(feed) || feed.tell({ kind: 'listen', filters: hub.filters })) return
    waiting.add(feed)
    feed.whenRoom(() => {
      waiting.delete(feed)
      listen(feed)
    })
  }

  function tick(): void {
    ticking = hub.filters.length > 0 ? clock.setTimer(TICK_MS, tick) : undefined
    hub.sweep()
    if (hub.wantsStats && !asking) void tellStats()
  }

  /** Statistics that cannot be had now are left out: there are others in a second. */
  async function tellStats(): Promise<void> {
    asking = true
    const answer = await stats().catch(() => undefined)
    asking = false
    if (state === 'closed' || answer === undefined) return
    hub.announce({ kind: 'stats', at: new Date(clock.now()).toISOString(), stats: answer })
    flushSoon()
  }

  // After a failure somebody may be watching.
  watch()
  return {
    receive,
    close() {
      state = 'closed'
      flushing?.cancel()
      ticking?.cancel()
      settle()
    },
  }
}
