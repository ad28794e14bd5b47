import type { CommitResult, Submission } from '../../domain/commit.ts'
import type { Tools } from '../engine/context.ts'
import { owed } from '../engine/counts.ts'
import { type PackedSubmissions, packSubmissions, unpackSubmissions } from './codec.ts'
import { openKeys } from './idempotency.ts'
import type { Unfiled } from './journal.ts'
import type { Contents } from './payloads.ts'

export interface AdmissionParts {
  /** Unfinished deliveries beyond which nothing is taken. */
  readonly maxBacklog: number
  readonly contents: Pick<Contents, 'write'>
  readonly unfiled: Pick<Unfiled, 'add'>
  /** Whether what is committed will be found again. */
  inPlace(): boolean
}

/**
 * The hot path: what is packed together is one row, whatever is in it. Only where something may have to be refused is it looked at; the rest is
 * left to filing.
 */
export function openAdmission({ db, tally, channels, now }: Tools, parts: AdmissionParts) {
  const { maxBacklog, contents, unfiled, inPlace } = parts
  const keys = openKeys(db)

  function fits(incidents: number): boolean {
    return owed(tally) + incidents * channels.length <= maxBacklog
  }

  function take(packed: PackedSubmissions): void {
    const first = tally.nextSeq
    tally.nextSeq += packed.incidents
    tally.unfiled.incidents += packed.incidents
    tally.unfiled.deliveries += packed.incidents * channels.length
    contents.write({ first, last: tally.nextSeq - 1 }, packed.contents)
    unfiled.add({ first, committedAt: now(), packed })
  }

  /** A submission larger than the whole quota would be refused for ever if it did not pass an empty backlog. */
  function admitEach(submissions: readonly Submission[]): CommitResult[] {
    const admitted: Submission[] = []
    let incidents = 0
    const results = submissions.map((submission): CommitResult => {
      const { drafts, key } = submission
      const used = key === undefined ? undefined : keys.find(key, now())
      if (used !== undefined) return { kind: 'duplicate', id: used }
      const idle = incidents === 0 && owed(tally) === 0
      if (!idle && !fits(incidents + drafts.length)) return { kind: 'refused', code: 'backlog_full' }
      admitted.push(submission)
      incidents += drafts.length
      const first = drafts[0]
      if (key !== undefined && first !== undefined) keys.remember(key, first.id, now())
      return { kind: 'created' }
    })
    for (const packed of packSubmissions(admitted)) take(packed)
    return results
  }

  /** Undefined: all of them are created. */
  return function admit(packed: PackedSubmissions): readonly CommitResult[] | undefined {
    if (!packed.keyed && inPlace() && fits(packed.incidents)) {
      take(packed)
      return undefined
    }
    const submissions = unpackSubmissions(packed)
    if (!inPlace()) return submissions.map(({ key }) => gone(key))
    return admitEach(submissions)
  }

  function gone(key: string | undefined): CommitResult {
    const used = key === undefined ? undefined : keys.find(key, now())
    return used === undefined ? { kind: 'refused', code: 'storage_down' } : { kind: 'duplicate', id: used }
  }
}
