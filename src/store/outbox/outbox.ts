import type { Destination } from '../../domain/delivery/delivery.ts'
import type { QueuedKind } from '../engine/counts.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { openClaim } from './claim.ts'
import type { Edits } from './edits.ts'
import { openMakeDue, openShiftDue } from './queues.ts'
import { leasedBy, type Reclaim } from './reclaim.ts'
import { openSettle } from './settle.ts'

type ClaimDeps = Parameters<typeof openClaim>[1]
type SettleDeps = Parameters<typeof openSettle>[1]

interface OutboxDeps extends ClaimDeps, SettleDeps {
  readonly reclaim: Reclaim
  readonly edits: Edits
}

const QUEUES = ['delivery', 'urgent', 'follow-up', 'page'] as const satisfies readonly QueuedKind[]

/**
 * All that is to be sent: deliveries, notices, follow-ups, pages and digests. Claim leases dispatches to senders, settle records
 * how each ended, reclaim ends the leases of senders that died; `turn` does these three.
 *
 * Store thread. `nextDueAt` anywhere, the others inside a transaction only, which failures of the disk leave as
 * `storage_full` or `storage_down`.
 */
export type OutboxPort = ReturnType<typeof openOutbox>

export function openOutbox(context: NoiseParts, deps: OutboxDeps) {
  const makeDue = openMakeDue(context, 'AND attempts = 0')
  return {
    /**
     * Leases what is due to the destinations named, in order of rank, then of due time, then of commit. To a channel,
     * notices, follow-ups and digests go before deliveries. A notice goes through a channel that works, at most one about a channel in 15
     * minutes. Costs no query for a destination for which nothing is due.
     */
    claim: openClaim(context, deps),
    /**
     * Records attempts and their verdicts. Returns undefined for a notice, a follow-up or a digest that is not told, and, counted, for a dispatch that
     * is not leased.
     */
    settle: openSettle(context, deps),
    /** After the senders died: makes pending again what they held, flagged `mayDuplicate`. Opening does so too. */
    reclaim(): void {
      const leased = leasedBy('own', context)
      deps.reclaim.loseMessages(leased)
      deps.reclaim.loseOthers(leased)
    },
    /**
     * Makes deliveries due now that were never tried and wait for a later turn: the rates that set the turn may have
     * changed.
     */
    makeDueNow(): void {
      for (const lane of context.channels.flatMap((channel) => context.lanes.all(channel))) makeDue(lane)
    },
    shift: openShiftDue(context),
    /**
     * Returns the epoch milliseconds of the earliest pending dispatch for a destination, which may be past; Infinity when
     * there is none. `any`: of what needs no room, and of notices, which take any channel; one that found no free slot waits for that, not for a
     * time. O(1).
     */
    nextDueAt(destination: Destination | 'any'): number {
      const { counts, lanes, storms, bundles } = context
      if (destination === 'any')
        return counts.winding + counts.walking + counts.releasing.length + counts.silences.opening.length > 0
          ? 0
          : Math.min(
              ...[counts.silences.edgeAt, context.notices.nextAt(), context.outages.nextAt(), context.burn.nextAt()],
              ...[counts.problems.flapsDueAt, counts.schedules.dueAt, counts.oncall.dueAt],
            )
      let earliest = Infinity
      for (const lane of lanes.all(destination)) {
        const accountAt = counts.accounts.get(lane.code) ?? Infinity
        const { edits } = deps
        earliest = Math.min(earliest, storms.nextAt(lane), bundles.nextAt(lane), edits.nextAt(lane), accountAt)
        for (const kind of QUEUES) {
          const dueAt = counts.queues[kind].get(lane.code)?.dueAt ?? Infinity
          // A settlement makes room in the window, and begins a turn.
          if (dueAt < earliest && (kind !== 'delivery' || context.storms.window(lane) > 0)) earliest = dueAt
        }
      }
      return earliest
    },
  }
}
