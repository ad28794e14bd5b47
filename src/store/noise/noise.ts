import type { Problem } from '../../policy/problem.ts'
import { type Bundles, openBundles } from '../bundles/open.ts'
import { openRecords } from '../bundles/records.ts'
import { EACH, type RepeatRules } from '../bundles/rules.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import { command } from '../engine/statement.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { Escalations } from '../oncall/escalations.ts'
import type { Leases } from '../outbox/lease.ts'
import type { Ledger } from '../outbox/ledger.ts'
import type { Notices } from '../outbox/notices.ts'
import { openQueues } from '../outbox/queues.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Problems } from '../problems/problems.ts'
import type { Tellings } from '../tellings/tellings.ts'
import { openAbsorb } from './absorb.ts'
import { openStormBundles } from './bundles.ts'
import type { Decisions } from './decisions.ts'
import { openDigestNotice } from './digest-notice.ts'
import { type Digests, openDigests } from './digests.ts'
import { type FallbackRules, type Fallbacks, openFallbacks } from './fallbacks.ts'
import { openKinds } from './kinds.ts'
import { type Outages, openOutages } from './outages.ts'
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
  readonly decisions: Pick<Decisions, 'priorityOf' | 'templateOf'>
  readonly payloads: Pick<Payloads, 'of'>
  readonly problems: Pick<Problems, 'find' | 'flapping'>
  readonly tellings: Pick<Tellings, 'firstMessage' | 'messageId'>
  readonly repeatRules: RepeatRules | undefined
  readonly escalations: Pick<Escalations, 'resolve'>
  readonly fallbackRules: FallbackRules
  /** Called when an incident got a delivery on one more channel. */
  queueReindex(incident: number): void
}

/** Storms of the destinations, their digests, repeats, what follows when these are told, and what stands in for those that fail. */
interface Noise {
  readonly storms: Storms
  readonly digests: Digests
  readonly bundles: Bundles
  /** Ends the flapping of problems that is over, and resolves their pages; bounded. */
  endFlapping(): OncallChange[]
  readonly windUp: WindUp
  readonly fallbacks: Fallbacks
  readonly outages: Outages
}

export function openNoise(context: StoreContext, deps: NoiseDeps): Noise {
  const { db } = context
  const { rules, maxBacklog, leases, ledger, notices, statusTracker } = deps
  const kinds = openKinds(db)
  const records = openRecords(db)
  const stormBundles = openStormBundles(db, records)
  const absorb = openAbsorb(context, kinds)
  const rulesOf = openRules(rules, maxBacklog)
  const storms = openStorms(context, { rulesOf, kinds, bundles: stormBundles, absorb, makeDue: openMakeDue(context) })
  const noticeOf = openDigestNotice(context)
  const { fallbackRules, decisions, queueReindex, payloads, problems, tellings, repeatRules = EACH } = deps
  const bundles = openBundles(context, {
    ...{ rules: repeatRules, stormRules: rules, maxBacklog, records, problems, tellings, storms },
    ...{ leases, ledger, notices, payloads, decisions },
  })
  const fallbacks = openFallbacks(context, { rules: fallbackRules, storms, decisions, queueReindex })
  function endOne({ fingerprint, state, endedBy }: Problem): OncallChange[] {
    bundles.flappingEnded(fingerprint)
    // The end by quiet tells the pager nothing, whether or not the problem flaps.
    return state === 'resolved' && endedBy !== 'quiet' ? deps.escalations.resolve(fingerprint) : []
  }
  return {
    storms,
    bundles,
    endFlapping: () => problems.flapping.end().flatMap(endOne),
    digests: openDigests(context, {
      ...{ storms, others: bundles, kinds, bundles: stormBundles, leases, ledger, notices, noticeOf },
    }),
    windUp: openWindUp(context, { statusTracker, fallbacks }),
    fallbacks,
    outages: openOutages(context, fallbacks, fallbackRules.afterMs),
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
