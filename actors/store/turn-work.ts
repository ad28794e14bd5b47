import type { Settlement } from '../../src/domain/dispatch.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Commit, Committed } from '../messages/ingest-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import { sameResult } from './commit-results.ts'
import { type ResultsToWrite, withoutAttempt } from './unwritten-results.ts'

/** Submissions of one message. It holds its slot until its reply is sent. */
export interface PendingCommit extends Pick<Commit, 'front' | 'batch' | 'submissions'> {
  readonly slot: Slot
}

/** All the mail of one event-loop turn, by kind. */
export interface TurnWork extends ResultsToWrite {
  readonly commits: readonly PendingCommit[]
  /** Slots of all other mail, freed when the turn is on disk. */
  readonly freeAfter: readonly Slot[]
}

export const NOTHING_NEW: TurnWork = {
  commits: [],
  settlements: [],
  sendersLost: false,
  freeAfter: [],
}

export function sortMail(batch: readonly StorageMail[], slots: readonly Slot[]): TurnWork {
  const commits: PendingCommit[] = []
  const settlements: Settlement[] = []
  const freeAfter: Slot[] = []
  let sendersLost = false
  batch.forEach((mail, at) => {
    const slot = slots[at] as Slot
    switch (mail.kind) {
      case 'commit':
        commits.push({ ...mail, slot })
        return
      case 'settle':
      case 'told':
        settlements.push(mail.settlement)
        freeAfter.push(slot)
        return
      case 'peer':
        sendersLost ||= !mail.up
        freeAfter.push(slot)
        return
      default:
        mail satisfies never
    }
  })
  return { commits, settlements, sendersLost, freeAfter }
}

export function refusal(
  { front, batch, submissions }: Pick<Commit, 'front' | 'batch' | 'submissions'>,
  code: ErrorCode,
): Committed {
  return { kind: 'committed', front, batch, results: sameResult(submissions, { kind: 'refused', code }) }
}

/** Returns what is left of mail that failed twice: the new state without the attempt. */
export function resultsOfDeadLetter(mail: Exclude<StorageMail, Commit>, now: number): ResultsToWrite {
  switch (mail.kind) {
    case 'settle':
    case 'told':
      return { ...NOTHING_NEW, settlements: [withoutAttempt(mail.settlement, now)] }
    case 'peer':
      return { ...NOTHING_NEW, sendersLost: !mail.up }
    default:
      return mail satisfies never
  }
}

export const incidentsOf = (commits: readonly PendingCommit[]) =>
  commits.reduce((sum, { submissions }) => submissions.reduce((own, { incidents }) => own + incidents, sum), 0)
