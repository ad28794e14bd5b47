import type { StoreContext } from '../engine/context.ts'
import { backlogSize, type Counts } from '../engine/counts.ts'
import { type NewIncident, openInsert } from '../incidents/insert.ts'
import type { Escalations } from '../oncall/escalations.ts'
import { openChatThreads } from '../outbox/chat-threads.ts'
import { openFanOut } from '../outbox/fan-out.ts'
import type { Applied, Reserve } from '../ports/journal.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Journal, JournalEntry } from './journal.ts'
import type { Payloads } from './payloads.ts'

interface ApplyDeps {
  readonly escalations: Escalations
  readonly journal: Pick<Journal, 'next'>
  readonly payloads: Pick<Payloads, 'prune'>
  /** No policy: no incident pages. */
  readonly pagingOff: boolean
  /** Finished incidents that retention keeps. */
  readonly maxIncidents: number
  /** Quota of deliveries and pages. */
  readonly maxBacklog: number
}

type MutableApplied = { -readonly [K in keyof Applied]: Applied[K] extends readonly (infer T)[] ? T[] : never }

/** Opens `apply`: makes incidents, deliveries and timers of journal entries, oldest first. Inside `write`. */
export function openApply(context: StoreContext, deps: ApplyDeps) {
  const { counts, channels } = context
  const { journal, pagingOff, maxIncidents } = deps
  const finishedAtOnce = channels.length === 0 && pagingOff
  const applyEntry = openApplyEntry(context, deps)
  const skipEntry = openSkipEntry(deps)

  /**
   * True when retention would delete the whole entry at once: its incidents finish as they are inserted, and enough
   * newer ones wait.
   */
  const isSkipped = (entry: number) => finishedAtOnce && counts.journal.incidents - entry >= maxIncidents

  return function apply(incidents: number, reserve: Reserve): Applied {
    const applied: MutableApplied = { dispatches: [], oncall: [], drafts: [] }
    const applyOrSkip = (batch: JournalEntry) => {
      const size = sizeOf(batch)
      if (isSkipped(size)) skipEntry(batch, applied)
      else applyEntry(batch, reserve, applied)
      return size
    }
    let count = 0
    while ((count < incidents || mayExceedQuota(counts, deps)) && counts.journal.incidents > 0) {
      const done = journal.next(applyOrSkip)
      if (done === undefined) break
      counts.journal.incidents -= done
      counts.journal.deliveries -= done * channels.length
      count += done
    }
    return applied
  }
}

/** Two statements for each incident, and one for its timer. */
function openApplyEntry(context: StoreContext, { escalations, payloads }: ApplyDeps) {
  const insert = openInsert(context)
  const fanOut = openFanOut(context, openChatThreads(context.db))

  function applyIncident(newIncident: NewIncident, reserve: Reserve, applied: MutableApplied): void {
    fanOut(newIncident, reserve, applied.dispatches)
    applied.oncall.push(...escalate(newIncident, escalations))
    applied.drafts.push(newIncident.draft)
  }

  return function applyEntry(
    { first, committedAt, submissions }: JournalEntry,
    reserve: Reserve,
    applied: MutableApplied,
  ): void {
    let incident = first
    let contentStart = 0
    const appliedBefore = applied.drafts.length
    for (const { drafts, overrides, origin } of submissions) {
      const requestOptions = [jsonOrNull(overrides), jsonOrNull(origin)]
      for (const draft of drafts) {
        const waitMs = escalations.waitMs(draft, overrides)
        const newIncident = { draft, incident, contentStart, committedAt, targets: overrides?.targets, waitMs }
        if (insert.incident(newIncident)) {
          insert.particulars(incident, requestOptions)
          // Only the first incident of a message keeps the origin: attributes may be large, and a message may hold
          // thousands of incidents.
          requestOptions[1] = null
          applyIncident(newIncident, reserve, applied)
        }
        incident++
        contentStart += draft.content.length
      }
    }
    if (applied.drafts.length === appliedBefore) payloads.prune({ first, last: incident - 1 })
  }
}

function openSkipEntry({ escalations, payloads }: ApplyDeps) {
  /**
   * Resolves and announces incidents that are not kept. A message that was repeated after its commit is announced
   * twice, since no row of the first one is left.
   */
  return function skipEntry({ first, submissions }: JournalEntry, applied: MutableApplied): void {
    const drafts = submissions.flatMap((submission) => submission.drafts)
    for (const draft of drafts)
      if (draft.status === 'resolved') applied.oncall.push(...escalations.resolve(draft.fingerprint))
    applied.drafts.push(...drafts)
    payloads.prune({ first, last: first + drafts.length - 1 })
  }
}

/**
 * True when the waiting incidents could exceed the quota with their pages. Append cannot count pages, because only
 * applying tells which incidents page.
 */
const mayExceedQuota = (counts: Counts, { pagingOff, maxBacklog }: ApplyDeps) =>
  !pagingOff && backlogSize(counts) + counts.journal.incidents > maxBacklog

const sizeOf = ({ submissions }: JournalEntry) => submissions.reduce((sum, { drafts }) => sum + drafts.length, 0)

function escalate({ draft, incident, committedAt: at, waitMs }: NewIncident, escalations: Escalations): OncallChange[] {
  if (draft.status === 'resolved') return escalations.resolve(draft.fingerprint)
  return waitMs === undefined ? [] : [escalations.arm(incident, draft.fingerprint, { at, waitMs })]
}

const jsonOrNull = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
