import type { CommitResult, Submission } from '../../domain/commit.ts'
import type { StoreContext } from '../engine/context.ts'
import { backlogSize } from '../engine/counts.ts'
import { type PackedSubmissions, packSubmissions, unpackSubmissions } from './codec.ts'
import { openIdempotencyKeys } from './idempotency.ts'
import type { Journal } from './journal.ts'
import type { Payloads } from './payloads.ts'

interface AppendDeps {
  /** Unfinished deliveries beyond which nothing is taken. */
  readonly maxBacklog: number
  readonly payloads: Pick<Payloads, 'write'>
  readonly journal: Pick<Journal, 'add'>
  /** Whether what is committed will be found again. */
  fileUnchanged(): boolean
}

/**
 * The hot path: what is packed together is one row, whatever is in it. Only where something may have to be refused is it looked at; the rest is
 * left to filing.
 */
export function openAppend({ db, counts, channels, now }: StoreContext, deps: AppendDeps) {
  const { maxBacklog, payloads, journal, fileUnchanged } = deps
  const keys = openIdempotencyKeys(db)

  function fits(incidents: number): boolean {
    return backlogSize(counts) + incidents * channels.length <= maxBacklog
  }

  function appendPacked(packed: PackedSubmissions): void {
    const first = counts.nextSeq
    counts.nextSeq += packed.incidents
    counts.journal.incidents += packed.incidents
    counts.journal.deliveries += packed.incidents * channels.length
    payloads.write({ first, last: counts.nextSeq - 1 }, packed.contents)
    journal.add({ first, committedAt: now(), packed })
  }

  /** A submission larger than the whole quota would be refused for ever if it did not pass an empty backlog. */
  function appendEach(submissions: readonly Submission[]): CommitResult[] {
    const appended: Submission[] = []
    let incidents = 0
    const results = submissions.map((submission): CommitResult => {
      const { drafts, key } = submission
      const used = key === undefined ? undefined : keys.find(key, now())
      if (used !== undefined) return { kind: 'duplicate', id: used }
      const idle = incidents === 0 && backlogSize(counts) === 0
      if (!idle && !fits(incidents + drafts.length)) return { kind: 'refused', code: 'backlog_full' }
      appended.push(submission)
      incidents += drafts.length
      const first = drafts[0]
      if (key !== undefined && first !== undefined) keys.save(key, first.id, now())
      return { kind: 'created' }
    })
    for (const packed of packSubmissions(appended)) appendPacked(packed)
    return results
  }

  /** Undefined: all of them are created. */
  return function append(packed: PackedSubmissions): readonly CommitResult[] | undefined {
    if (!packed.keyed && fileUnchanged() && fits(packed.incidents)) {
      appendPacked(packed)
      return undefined
    }
    const submissions = unpackSubmissions(packed)
    if (!fileUnchanged()) return submissions.map(({ key }) => resultWithoutFile(key))
    return appendEach(submissions)
  }

  function resultWithoutFile(key: string | undefined): CommitResult {
    const used = key === undefined ? undefined : keys.find(key, now())
    return used === undefined ? { kind: 'refused', code: 'storage_down' } : { kind: 'duplicate', id: used }
  }
}
