import type { Submission } from '../../domain/incident.ts'
import type { JournalEntry, ReadyEntry, UnreadableEntry } from '../ports/journal.ts'

/** A bug or a damaged entry that shows while it is applied; never a failure of the disk. */
export class ApplyError extends Error {
  readonly entry: ReadyEntry

  constructor(entry: ReadyEntry, cause: unknown) {
    super(String(cause), { cause })
    this.entry = entry
  }
}

/** Returns the part of the entries that is above `applied`, which is what is not applied yet. */
export function entriesAbove(applied: number, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  return entries.flatMap((entry) => {
    if (entry.first > applied) return [entry]
    if (entry.last <= applied) return []
    return entry.kind === 'ready' ? [split(entry, applied + 1)[1]] : [{ ...entry, first: applied + 1 }]
  })
}

/**
 * Returns what takes the place of an entry that failed: its halves, so that in the end one incident goes to quarantine
 * and all others are applied.
 */
export function replaceFailed({ entry, message }: ApplyError): readonly JournalEntry[] {
  const { first, last } = entry
  if (first < last) return split(entry, Math.ceil((first + last) / 2))
  return [{ kind: 'unreadable', first, last, frame: entry.frame, error: message } satisfies UnreadableEntry]
}

/** Splits an entry before the incident `number`, which is not its first. */
function split(entry: ReadyEntry, number: number): [ReadyEntry, ReadyEntry] {
  const before: Submission[] = []
  const after: Submission[] = []
  let left = number - entry.first
  let bytes = 0
  for (const submission of entry.submissions) {
    const { drafts, overrides } = submission
    const taken = drafts.slice(0, left)
    left -= taken.length
    bytes += taken.reduce((sum, { content }) => sum + content.length, 0)
    if (taken.length > 0) before.push({ ...submission, drafts: taken })
    if (taken.length === 0) after.push(submission)
    else if (taken.length < drafts.length)
      after.push({ drafts: drafts.slice(taken.length), ...(overrides && { overrides }) })
  }
  return [
    { ...entry, last: number - 1, submissions: before, contents: entry.contents.subarray(0, bytes) },
    { ...entry, first: number, submissions: after, contents: entry.contents.subarray(bytes) },
  ]
}
