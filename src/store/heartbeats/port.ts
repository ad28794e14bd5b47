import { inTransactions, type Write } from '../engine/transaction.ts'
import type { HeartbeatPort } from '../ports/heartbeats.ts'
import type { Heartbeats } from './heartbeats.ts'

/** Returns what others ask of heartbeats. */
export function openHeartbeatPort(heartbeats: Heartbeats, write: Write): HeartbeatPort {
  const { owed, states, outputOf, pingCounts, ping, isAliveDue, beAlive } = heartbeats
  return {
    ...{ owed, states, outputOf, pingCounts },
    ...inTransactions(write, { ping }),
    stayAlive(): void {
      if (isAliveDue()) write(beAlive)
    },
  }
}
