import type { ChannelName } from '../domain/delivery/delivery.ts'
import type { GroupOf } from '../policy/bundles/group.ts'
import type { Decide } from '../policy/decision.ts'
import type { ShiftNow } from '../policy/oncall/calendar.ts'
import type { OncallRules } from '../policy/oncall/escalation.ts'
import type { Openings } from './brief/openings.ts'
import type { StoreContext } from './engine/context.ts'
import { openMarkResolved } from './incidents/mark-resolved.ts'
import { openNotifyStatus } from './incidents/notify-status.ts'
import { openIdempotencyKeys } from './journal/idempotency.ts'
import { openPayloads } from './journal/payloads.ts'
import { openBurn, type SloRules } from './noise/burn.ts'
import { openDecisions } from './noise/decisions.ts'
import { openAccounts } from './noise/silences/accounts.ts'
import { openCauses } from './noise/silences/causes.ts'
import type { EscalationPart } from './oncall/part.ts'
import { openFollowUps } from './outbox/follow-ups.ts'
import { openLeases } from './outbox/lease.ts'
import { openLedger } from './outbox/ledger.ts'
import { openNotices } from './outbox/notices.ts'
import { openPages } from './pages/pages.ts'
import type { FlapRules } from './problems/flapping.ts'
import { openProblems } from './problems/problems.ts'
import { openFulltext } from './search/fulltext.ts'
import { openTellings } from './tellings/tellings.ts'

export interface PartOptions {
  /** Groups of incidents with decisions that group; absent: nothing is grouped. */
  readonly groupOf?: GroupOf | undefined
  /** Absent: a problem that flaps is told like any other. */
  readonly flapping?: FlapRules
  /** The objective whose burning raises a notice; absent: none. */
  readonly slo?: SloRules | undefined
  /** On-call as code; absent: one wait, then the provider. */
  readonly escalations?: OncallRules
  /** Opens `escalations`: its code is loaded only for some. */
  readonly escalationPart?: EscalationPart
  /** The enabled channels that can reply in a thread; absent: none. */
  readonly threadedChannels?: readonly ChannelName[]
  /** Hears of each page that retention forgets. */
  readonly pageForgotten?: (page: { readonly problem: number; readonly target: string }) => void
  /** Milliseconds of a clock that is never set, for `decideMs` of a turn; absent: that is 0. */
  readonly elapsed?: () => number
}

interface PartDeps {
  readonly decide: Decide
  /** The history of problems; undefined: the configuration keeps none. */
  readonly openings: Openings | undefined
  /** Returns who is on call by a schedule; undefined: there is no such schedule. */
  shiftAt(schedule: string, instant: number): ShiftNow | undefined
}

/** The store's context with the parts that most others use. */
export type StoreParts = ReturnType<typeof openParts>

export function openParts(base: StoreContext, options: PartOptions, { decide, openings, shiftAt }: PartDeps) {
  const { groupOf, elapsed = () => 0, escalations: rules, escalationPart } = options
  const leases = openLeases(base)
  const burn = openBurn(base, options.slo)
  const notices = openNotices(base, {
    ...{ leases, burn },
    ...(escalationPart && { exhausted: () => runs?.exhausted() ?? { runs: 0, reason: '' } }),
  })
  const accounts = openAccounts(base, leases, (...message) => runs?.personal.compose(...message))
  const payloads = openPayloads(base)
  const fulltext = openFulltext(base, payloads)
  const { queueReindex } = fulltext
  const causes = openCauses(base, payloads)
  const problems = openProblems(base, {
    ...{ openings, queueReindex, causes, flapRules: options.flapping ?? { enable: false } },
  })
  const pages = openPages(base, {
    ...{ notices, problems, forgotten: options.pageForgotten ?? (() => {}), runs: () => runs },
    markResolved: openMarkResolved(base, queueReindex),
  })
  const runs = rules && escalationPart?.openRuns(base, rules, { problems, payloads, accounts, notices, pages, shiftAt })
  return {
    ...{ ...base, decide, groupOf, elapsed, payloads, fulltext, causes, burn },
    ...{ problems, notices, accounts, leases, pages },
    /** Escalations at work; undefined: the configuration has none. */
    runs,
    openings,
    decisions: openDecisions(base.db),
    keys: openIdempotencyKeys(base.db),
    statusTracker: openNotifyStatus(base),
    ledger: openLedger(base),
    tellings: openTellings(base, problems),
    followUps: openFollowUps(base, options.threadedChannels ?? []),
  }
}
