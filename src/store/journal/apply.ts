import type { Filed, OncallChange } from '../contract.ts'
import { openThreads } from '../deliveries/chat-threads.ts'
import { type Claim, openPlacing } from '../deliveries/fan-out.ts'
import type { Tools } from '../engine/context.ts'
import { owed, type Tally } from '../engine/counts.ts'
import { type Arrival, openInserts } from '../incidents/insert.ts'
import type { Escalations } from '../oncall/escalations.ts'
import type { Batch, Unfiled } from './journal.ts'
import type { Contents } from './payloads.ts'

interface FilingParts {
  readonly escalations: Escalations
  readonly unfiled: Pick<Unfiled, 'next'>
  readonly contents: Pick<Contents, 'prune'>
  /** Nobody is paged, whatever comes. */
  readonly pagesNobody: boolean
  /** Finished incidents that are kept. */
  readonly maxIncidents: number
  /** Deliveries and pages beyond which nothing is taken. */
  readonly maxBacklog: number
}

type Filing = { -readonly [K in keyof Filed]: Filed[K] extends readonly (infer T)[] ? T[] : never }

/** Makes incidents, deliveries and timers of what is committed, in the order of commit. */
export function openFiling(tools: Tools, parts: FilingParts) {
  const { tally, channels } = tools
  const { unfiled, pagesNobody, maxIncidents } = parts
  const finishedAtOnce = channels.length === 0 && pagesNobody
  const fileBatch = openBatches(tools, parts)
  const passBatch = openPassing(parts)

  /** Retention would delete it as soon as it is filed: it needs nothing more, and enough newer ones are waiting. */
  const isPassed = (batch: number) => finishedAtOnce && tally.unfiled.incidents - batch >= maxIncidents

  /** At least so many, if there are so many. */
  return function file(incidents: number, claim: Claim): Filed {
    const filed: Filing = { handouts: [], oncall: [], drafts: [] }
    const fileOne = (batch: Batch) => {
      const size = sizeOf(batch)
      if (isPassed(size)) passBatch(batch, filed)
      else fileBatch(batch, claim, filed)
      return size
    }
    let count = 0
    while ((count < incidents || mayPassQuota(tally, parts)) && tally.unfiled.incidents > 0) {
      const done = unfiled.next(fileOne)
      if (done === undefined) break
      tally.unfiled.incidents -= done
      tally.unfiled.deliveries -= done * channels.length
      count += done
    }
    return filed
  }
}

/** Two statements an incident, and one for its timer. */
function openBatches(tools: Tools, { escalations, contents }: FilingParts) {
  const insert = openInserts(tools)
  const place = openPlacing(tools, openThreads(tools.db))

  function fileOne(arrival: Arrival, claim: Claim, filed: Filing): void {
    insert.deliveries(arrival, place(arrival, claim, filed.handouts))
    filed.oncall.push(...escalated(arrival, escalations))
    filed.drafts.push(arrival.draft)
  }

  return function fileBatch({ first, committedAt, submissions }: Batch, claim: Claim, filed: Filing): void {
    let incident = first
    let contentStart = 0
    const filedBefore = filed.drafts.length
    for (const { drafts, overrides, origin } of submissions) {
      const particulars = [jsonOrNull(overrides), jsonOrNull(origin)]
      for (const draft of drafts) {
        const waitMs = escalations.waitMs(draft, overrides)
        const arrival = { draft, incident, contentStart, committedAt, targets: overrides?.targets, waitMs }
        if (insert.incident(arrival)) {
          insert.particulars(incident, particulars)
          // Attributes may be large and a message may hold thousands of incidents, so only the first one keeps them.
          particulars[1] = null
          fileOne(arrival, claim, filed)
        }
        incident++
        contentStart += draft.content.length
      }
    }
    if (filed.drafts.length === filedBefore) contents.prune({ first, last: incident - 1 })
  }
}

function openPassing({ escalations, contents }: FilingParts) {
  /** What is told of incidents that are not kept. A message that was repeated after its commit is told twice: nothing is kept to know it by. */
  return function passBatch({ first, submissions }: Batch, filed: Filing): void {
    const drafts = submissions.flatMap((submission) => submission.drafts)
    for (const draft of drafts)
      if (draft.status === 'resolved') filed.oncall.push(...escalations.resolve(draft.fingerprint))
    filed.drafts.push(...drafts)
    contents.prune({ first, last: first + drafts.length - 1 })
  }
}

/** How many of what waits will page is known when it is filed, and the quota counts them. */
const mayPassQuota = (tally: Tally, { pagesNobody, maxBacklog }: FilingParts) =>
  !pagesNobody && owed(tally) + tally.unfiled.incidents > maxBacklog

const sizeOf = ({ submissions }: Batch) => submissions.reduce((sum, { drafts }) => sum + drafts.length, 0)

function escalated({ draft, incident, committedAt: at, waitMs }: Arrival, escalations: Escalations): OncallChange[] {
  if (draft.status === 'resolved') return escalations.resolve(draft.fingerprint)
  return waitMs === undefined ? [] : [escalations.arm(incident, draft.fingerprint, { at, waitMs })]
}

const jsonOrNull = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
