import type { Rate } from '../channel.ts'

/**
 * Keeps the sender's places free for destinations that can use them. A destination has as many deliveries here as its rate lets go within some
 * seconds; what exceeds that, and everything for a destination that is shut, is to wait on disk until its turn: turns are the rate's interval
 * apart, in the order of asking, and whoever is new comes after those who have one.
 */
export interface WaitingRoom {
  /** 0: come in. Else in how many milliseconds to ask again. `incident`: grows in the order of creation. */
  waitMs(destination: string, incident: number): number
  enter(destination: string): void
  leave(destination: string): void
  /** Nobody is let in for that long, and all turns that were given are void. */
  shut(destination: string, ms: number): void
}

/** Who must wait longer waits on disk. */
export const PATIENCE_MS = 10_000

interface Lane {
  here: number
  shutUntil: number
  /** When the next turn may be. */
  nextTurn: number
  /** Latest incident that was given a turn. */
  latest: number
}

/**
 * Destinations are few (those the configuration lists), so lanes are never dropped.
 * @param clock `elapsed`: milliseconds that only ever grow
 */
export function createWaitingRoom({ perSecond, burst }: Rate, clock: { elapsed(): number }): WaitingRoom {
  const lanes = new Map<string, Lane>()
  const capacity = burst + (perSecond * PATIENCE_MS) / 1_000
  const intervalMs = 1_000 / perSecond

  function laneOf(destination: string): Lane {
    let lane = lanes.get(destination)
    if (!lane) {
      lane = { here: 0, shutUntil: 0, nextTurn: 0, latest: 0 }
      lanes.set(destination, lane)
    }
    return lane
  }

  return {
    waitMs(destination, incident) {
      const lane = laneOf(destination)
      const now = clock.elapsed()
      const roomAt = Math.max(lane.shutUntil, lane.here < capacity ? now : now + PATIENCE_MS)
      const isNew = incident > lane.latest
      const turn = isNew ? Math.max(roomAt, lane.nextTurn) : roomAt
      if (turn <= now) return 0
      if (isNew) {
        lane.nextTurn = turn + intervalMs
        lane.latest = incident
      }
      return Math.ceil(turn - now)
    },
    enter(destination) {
      laneOf(destination).here++
    },
    leave(destination) {
      laneOf(destination).here--
    },
    shut(destination, ms) {
      const lane = laneOf(destination)
      const until = clock.elapsed() + ms
      if (until <= lane.shutUntil) return
      Object.assign(lane, { shutUntil: until, nextTurn: until, latest: 0 })
    },
  }
}
