import type { StoreContext } from '../engine/context.ts'
import type { QueuedKind } from '../engine/counts.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { Burn } from '../noise/burn.ts'
import type { Outages } from '../noise/outages.ts'
import type { RepeatsOfProblems } from '../noise/repeats/open.ts'
import type { Accounts } from '../noise/silences/accounts.ts'
import type { Storms } from '../noise/storms.ts'
import type { WindUp } from '../noise/windup.ts'
import type { OutboxPort } from '../ports/outbox.ts'
import { openClaim } from './claim.ts'
import type { Leases } from './lease.ts'
import type { Ledger } from './ledger.ts'
import type { Notices } from './notices.ts'
import { openMakeDueNow } from './queues.ts'
import type { openReclaim } from './reclaim.ts'
import { openSettle } from './settle.ts'

type ClaimDeps = Parameters<typeof openClaim>[1]
type SettleDeps = Parameters<typeof openSettle>[1]

interface OutboxDeps extends ClaimDeps, SettleDeps {
  readonly leases: Leases
  readonly ledger: Ledger
  readonly notices: Notices
  readonly accounts: Accounts
  readonly payloads: Pick<Payloads, 'of'>
  readonly reclaim: ReturnType<typeof openReclaim>
  readonly storms: Storms
  readonly windUp: WindUp
  readonly outages: Outages
  readonly repeats: RepeatsOfProblems
  readonly burn: Pick<Burn, 'nextAt'>
}

const QUEUES = ['delivery', 'urgent', 'follow-up', 'page'] as const satisfies readonly QueuedKind[]

export function openOutbox(context: StoreContext, deps: OutboxDeps): OutboxPort {
  return {
    claim: openClaim(context, deps),
    settle: openSettle(context, deps),
    reclaim: () => deps.reclaim('own'),
    windUp: deps.windUp.next,
    failOver: deps.outages.next,
    makeDueNow: openMakeDueNow(context),
    nextDueAt(destination) {
      const { counts, lanes } = context
      if (destination === 'any')
        return counts.winding.length + counts.releasing.length + counts.silences.opening.length > 0
          ? 0
          : Math.min(
              counts.silences.edgeAt,
              deps.notices.nextAt(),
              deps.outages.nextAt(),
              deps.burn.nextAt(),
              counts.flapsDueAt,
            )
      let earliest = Infinity
      for (const lane of lanes.all(destination)) {
        const accountAt = counts.accounts.get(lane.code) ?? Infinity
        earliest = Math.min(earliest, deps.storms.nextAt(lane), deps.repeats.nextAt(lane), accountAt)
        for (const kind of QUEUES) {
          const dueAt = counts.queues[kind].get(lane.code)?.dueAt ?? Infinity
          // A settlement makes room in the window, and begins a turn.
          if (dueAt < earliest && (kind !== 'delivery' || deps.storms.window(lane) > 0)) earliest = dueAt
        }
      }
      return earliest
    },
  }
}
