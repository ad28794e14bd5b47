import type { CommitResult, Submission } from '../../domain/commit.ts'
import type { StoreContext } from '../engine/context.ts'
import { backlogSize } from '../engine/counts.ts'
import { type PackedSubmissions, packSubmissions, unpackSubmissions } from './codec.ts'
import { openIdempotencyKeys } from './idempotency.ts'
import type { Journal } from './journal.ts'
import type { Payloads } from './payloads.ts'

interface AppendDeps {
  /** Quota of deliveries and pages. */
  readonly maxBacklog: number
  readonly payloads: Pick<Payloads, 'write'>
  readonly journal: Pick<Journal, 'add'>
  /** False when the database file was replaced, so that commits would be lost. */
  fileUnchanged(): boolean
}

/**
 * Opens `append`, the hot path: a pack of submissions becomes one journal entry without being parsed. It is parsed only
 * when a submission may be refused: one has an idempotency key, the quota is short, or the file is gone. Inside
 * `write`.
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

  /**
   * Decides submission by submission. One that is larger than the whole quota passes while the backlog is empty: else
   * it would always be refused.
   */
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

  /** Returns undefined when all are created. */
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
