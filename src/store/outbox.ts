import type { Settlement } from '../domain/commit.ts'
import { openClaim } from './deliveries/claim.ts'
import type { DueIndex } from './deliveries/due-index.ts'
import { openMakeDueNow } from './deliveries/make-due-now.ts'
import type { openReclaim } from './deliveries/reclaim.ts'
import { openSettle, type SettleDeps } from './deliveries/settle.ts'
import type { StoreContext } from './engine/context.ts'
import type { Payloads } from './journal/payloads.ts'
import { kindOf } from './notices/dispatch-number.ts'
import type { FollowUps } from './notices/follow-ups.ts'
import type { Notices } from './notices/notices.ts'
import type { OutboxPort, Settled } from './ports/outbox.ts'

interface OutboxDeps extends SettleDeps {
  readonly dueIndex: DueIndex
  readonly payloads: Pick<Payloads, 'of'>
  readonly notices: Notices
  readonly followUps: FollowUps
  readonly reclaim: ReturnType<typeof openReclaim>
}

/** Joins the three queues of what goes to senders: deliveries, notices and follow-ups. */
export function openOutbox(context: StoreContext, deps: OutboxDeps): OutboxPort {
  const { counts } = context
  const { dueIndex, payloads, notices, followUps, reclaim } = deps
  const settleDelivery = openSettle(context, deps)

  function settleUncounted(settlement: Settlement): Settled | boolean {
    switch (kindOf(settlement)) {
      case 'delivery':
        return settleDelivery(settlement) ?? false
      case 'notice':
        return notices.settle(settlement)
      case 'follow-up':
        return followUps.settle(settlement)
    }
  }

  return {
    claim: openClaim(context, dueIndex, payloads),
    claimNotices(reserve) {
      const { dispatches, stuck } = notices.claim(reserve)
      return { dispatches: [...dispatches, ...followUps.claim(reserve)], stuck }
    },
    settle(settlement) {
      const settled = settleUncounted(settlement)
      if (settled === false) counts.unknownSettlements++
      return typeof settled === 'boolean' ? undefined : settled
    },
    reclaim(channels) {
      for (const channel of channels) followUps.reclaim(channel)
      return reclaim(channels)
    },
    makeDueNow: openMakeDueNow(context, dueIndex),
    nextDueAt(channel) {
      const { dueAt } = counts.queues[channel]
      return dueAt === Infinity ? undefined : dueAt
    },
    nextNoticeAt() {
      const at = Math.min(notices.nextAt() ?? Infinity, followUps.nextAt())
      return at === Infinity ? undefined : at
    },
  }
}
