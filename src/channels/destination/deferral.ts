import type { Rate } from '../channel.ts'
import { createDestinationStates } from './destination-states.ts'

/** Longest wait in memory; a delivery that must wait longer waits on disk. */
export const MAX_MEMORY_WAIT_MS = 10_000

/** State of one destination. Times are of the clock's `elapsed`. */
interface Pacing {
  /** Deliveries in memory. */
  present: number
  suspendedUntilMs: number
  /** Earliest start time that is not given yet. */
  nextStartMs: number
  /** Latest incident that was given a start time. */
  latestIncident: number
}

/**
 * Decides which deliveries wait in memory for their destination and which go back to disk, so that one slow
 * destination does not take all slots of the sender.
 *
 * A destination may have `burst` plus 10 s of its rate in memory. A delivery beyond that gets a start time, as does
 * every delivery of a suspended destination. Start times are `1 / perSecond` apart, first come, first served: pacing as
 * in GCRA (generic cell rate algorithm). A new delivery starts after those that have a start time.
 *
 * When destinations are many, it forgets those with no delivery in memory, no suspension and no start time to come.
 * @param clock `elapsed`: monotonic milliseconds
 */
export function createDeferral({ perSecond, burst }: Rate, clock: { elapsed(): number }) {
  const pacings = createDestinationStates<Pacing>(
    () => ({ present: 0, suspendedUntilMs: 0, nextStartMs: 0, latestIncident: 0 }),
    ({ present, suspendedUntilMs, nextStartMs }) =>
      present === 0 && Math.max(suspendedUntilMs, nextStartMs) <= clock.elapsed(),
  )
  const capacity = burst + (perSecond * MAX_MEMORY_WAIT_MS) / 1_000
  const intervalMs = 1_000 / perSecond

  return {
    /**
     * Returns 0 when the delivery may enter, else the milliseconds until its start time: put it back to disk until
     * then.
     * @param incident number of the incident, which grows in the order of creation: it tells a new delivery from one
     *   that comes back at its start time
     */
    deferMs(destination: string, incident: number): number {
      const pacing = pacings.of(destination)
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
    /** Counts one delivery as waiting in memory. Each `enter` needs one `leave`. */
    enter(destination: string): void {
      pacings.of(destination).present++
    },
    leave(destination: string): void {
      pacings.of(destination).present--
    },
    /**
     * Lets no delivery enter for `ms`, and drops the start times that were given. A shorter suspension changes nothing.
     */
    suspend(destination: string, ms: number): void {
      const pacing = pacings.of(destination)
      const until = clock.elapsed() + ms
      if (until <= pacing.suspendedUntilMs) return
      Object.assign(pacing, { suspendedUntilMs: until, nextStartMs: until, latestIncident: 0 })
    },
  }
}
