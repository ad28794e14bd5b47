import type { GroupOf } from '../policy/bundles/group.ts'
import type { Decide } from '../policy/decision.ts'
import type { Openings } from './brief/openings.ts'
import type { StoreContext } from './engine/context.ts'
import type { NotifyStatusTracker } from './incidents/notify-status.ts'
import type { IdempotencyKeys } from './journal/idempotency.ts'
import type { Payloads } from './journal/payloads.ts'
import type { Burn } from './noise/burn.ts'
import type { Decisions } from './noise/decisions.ts'
import type { Accounts } from './noise/silences/accounts.ts'
import type { Causes } from './noise/silences/causes.ts'
import type { Runs } from './oncall/runs.ts'
import type { FollowUps } from './outbox/follow-ups.ts'
import type { Leases } from './outbox/lease.ts'
import type { Ledger } from './outbox/ledger.ts'
import type { Notices } from './outbox/notices.ts'
import type { Pages } from './pages/pages.ts'
import type { Problems } from './problems/problems.ts'
import type { Fulltext } from './search/fulltext.ts'
import type { Tellings } from './tellings/tellings.ts'

/** The store's context with the parts that most others use. */
export interface StoreParts extends StoreContext {
  readonly decide: Decide
  /** Undefined: nothing is grouped. */
  readonly groupOf: GroupOf | undefined
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number
  readonly payloads: Payloads
  readonly decisions: Decisions
  readonly keys: IdempotencyKeys
  readonly statusTracker: NotifyStatusTracker
  readonly ledger: Ledger
  readonly leases: Leases
  readonly fulltext: Fulltext
  readonly causes: Causes
  readonly burn: Burn
  readonly problems: Problems
  readonly tellings: Tellings
  readonly notices: Notices
  readonly followUps: FollowUps
  readonly accounts: Accounts
  readonly pages: Pages
  /** Escalations at work; undefined: the configuration has none. */
  readonly runs: Runs | undefined
  /** The history of problems; undefined: the configuration keeps none. */
  readonly openings: Openings | undefined
}
