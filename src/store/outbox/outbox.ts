import type { StoreContext } from '../engine/context.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { OutboxPort } from '../ports/outbox.ts'
import { openClaim } from './claim.ts'
import type { Leases } from './lease.ts'
import type { Ledger } from './ledger.ts'
import { openMakeDueNow } from './make-due-now.ts'
import type { Notices } from './notices.ts'
import type { openReclaim } from './reclaim.ts'
import { openSettle } from './settle.ts'

type ClaimDeps = Parameters<typeof openClaim>[1]
type SettleDeps = Parameters<typeof openSettle>[1]

interface OutboxDeps extends ClaimDeps, SettleDeps {
  readonly leases: Leases
  readonly ledger: Ledger
  readonly notices: Notices
  readonly payloads: Pick<Payloads, 'of'>
  readonly reclaim: ReturnType<typeof openReclaim>
}

export function openOutbox(context: StoreContext, deps: OutboxDeps): OutboxPort {
  return {
    claim: openClaim(context, deps),
    settle: openSettle(context, deps),
    reclaim: () => deps.reclaim('own'),
    makeDueNow: openMakeDueNow(context),
    nextDueAt(destination) {
      if (destination === 'any') return deps.notices.nextAt()
      let earliest = Infinity
      for (const { code } of context.lanes.all(destination))
        for (const queues of Object.values(context.counts.queues))
          earliest = Math.min(earliest, queues.get(code)?.dueAt ?? Infinity)
      return earliest
    },
  }
}
