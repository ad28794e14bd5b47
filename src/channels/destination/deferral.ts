import type { Rate } from '../channel.ts'

/**
 * Keeps the sender's places free for destinations that can use them. A destination has as many deliveries here as its rate lets go within some
 * seconds; what exceeds that, and everything for a destination that is shut, is to wait on disk until its turn: turns are the rate's interval
 * apart, in the order of asking, and whoever is new comes after those who have one.
 */
export interface Deferral {
  /** 0: come in. Else in how many milliseconds to ask again. `incident`: grows in the order of creation. */
  deferMs(destination: string, incident: number): number
  enter(destination: string): void
  leave(destination: string): void
  /** Nobody is let in for that long, and all turns that were given are void. */
  suspend(destination: string, ms: number): void
}

/** Who must wait longer waits on disk. */
export const MAX_MEMORY_WAIT_MS = 10_000

interface Pacing {
  present: number
  suspendedUntilMs: number
  /** When the next turn may be. */
  nextStartMs: number
  /** Latest incident that was given a turn. */
  latestIncident: number
}

/**
 * Destinations are few (those the configuration lists), so lanes are never dropped.
 * @param clock `elapsed`: milliseconds that only ever grow
 */
export function createDeferral({ perSecond, burst }: Rate, clock: { elapsed(): number }): Deferral {
  const pacings = new Map<string, Pacing>()
  const capacity = burst + (perSecond * MAX_MEMORY_WAIT_MS) / 1_000
  const intervalMs = 1_000 / perSecond

  function pacingOf(destination: string): Pacing {
    let pacing = pacings.get(destination)
    if (!pacing) {
      pacing = { present: 0, suspendedUntilMs: 0, nextStartMs: 0, latestIncident: 0 }
      pacings.set(destination, pacing)
    }
    return pacing
  }

  return {
    deferMs(destination, incident) {
      const pacing = pacingOf(destination)
      const now = clock.elapsed()
      const roomAtMs = Math.max(pacing.suspendedUntilMs, pacing.present < capacity ? now : now + MAX_MEMORY_WAIT_MS)
      const isNew = incident > pacing.latestIncident
      const startMs = isNew ? Math.max(roomAtMs, pacing.nextStartMs) : roomAtMs
      if (startMs <= now) return 0
      if (isNew) {
        pacing.nextStartMs = startMs + intervalMs
        pacing.latestIncident = incident
      }
      return Math.ceil(startMs - now)
    },
    enter(destination) {
      pacingOf(destination).present++
    },
    leave(destination) {
      pacingOf(destination).present--
    },
    suspend(destination, ms) {
      const pacing = pacingOf(destination)
      const until = clock.elapsed() + ms
      if (until <= pacing.suspendedUntilMs) return
      Object.assign(pacing, { suspendedUntilMs: until, nextStartMs: until, latestIncident: 0 })
    },
  }
}
