import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import { command } from '../engine/statement.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import type { Leases } from '../outbox/lease.ts'
import type { Ledger } from '../outbox/ledger.ts'
import type { Notices } from '../outbox/notices.ts'
import { openQueues } from '../outbox/queues.ts'
import { openAbsorb } from './absorb.ts'
import { openBundles } from './bundles.ts'
import { openDigestNotice } from './digest-notice.ts'
import { type Digests, openDigests } from './digests.ts'
import { openKinds } from './kinds.ts'
import { openRules, type StormRulesByChannel } from './rules.ts'
import { openStorms, type Storms } from './storms.ts'
import { openWindUp, type WindUp } from './windup.ts'

interface NoiseDeps {
  readonly rules: StormRulesByChannel
  readonly maxBacklog: number
  readonly leases: Pick<Leases, 'take' | 'find' | 'end'>
  readonly ledger: Ledger
  readonly notices: Pick<Notices, 'raise'>
  readonly statusTracker: Pick<NotifyStatusTracker, 'finish'>
}

/** Storms of the destinations, their digests, and what follows when these are told. */
interface Noise {
  readonly storms: Storms
  readonly digests: Digests
  readonly windUp: WindUp
}

export function openNoise(context: StoreContext, deps: NoiseDeps): Noise {
  const { db } = context
  const { rules, maxBacklog, leases, ledger, notices, statusTracker } = deps
  const kinds = openKinds(db)
  const bundles = openBundles(db)
  const absorb = openAbsorb(context, kinds)
  const rulesOf = openRules(rules, maxBacklog)
  const storms = openStorms(context, { rulesOf, kinds, bundles, absorb, makeDue: openMakeDue(context) })
  const noticeOf = openDigestNotice(db)
  return {
    storms,
    digests: openDigests(context, { storms, kinds, bundles, leases, ledger, notices, noticeOf }),
    windUp: openWindUp(context, statusTracker),
  }
}

function openMakeDue(context: StoreContext) {
  const { db, now } = context
  const { refreshNextDue } = openQueues(context)
  const makeDue = command(
    db,
    `UPDATE dispatches SET due_at = ?1
     WHERE kind = ${KIND.delivery} AND destination = ?2 AND state = ${STATE.pending} AND due_at > ?1`,
  )
  return ({ code }: Lane): void => {
    makeDue.run(now(), code)
    refreshNextDue('delivery', code)
    refreshNextDue('urgent', code)
  }
}
