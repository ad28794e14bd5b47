import type { Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Lookup } from '../messages/journal-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import { type ResultsToWrite, withoutAttempt } from './unwritten-results.ts'

/** A message that holds its slot until its work is done. */
interface WithSlot<Mail> {
  readonly mail: Mail
  readonly slot: Slot
}

/** All the mail of one event-loop turn, by kind. */
export interface TurnWork extends ResultsToWrite {
  /** Slot of `appended`, freed before `committed` is read. */
  readonly appended: readonly Slot[]
  readonly lookups: readonly WithSlot<Lookup>[]
  /** Slots of all other mail, freed when the turn is on disk. */
  readonly freeAfter: readonly Slot[]
}

export const NOTHING_NEW: TurnWork = {
  appended: [],
  lookups: [],
  settlements: [],
  sendersLost: false,
  freeAfter: [],
}

export function sortMail(batch: readonly StorageMail[], slots: readonly Slot[]): TurnWork {
  const appended: Slot[] = []
  const lookups: WithSlot<Lookup>[] = []
  const settlements: Settlement[] = []
  const freeAfter: Slot[] = []
  let sendersLost = false
  batch.forEach((mail, at) => {
    const slot = slots[at] as Slot
    if (mail.kind === 'appended') return void appended.push(slot)
    if (mail.kind === 'lookup') return void lookups.push({ mail, slot })
    freeAfter.push(slot)
    switch (mail.kind) {
      case 'settle':
        settlements.push(mail.settlement)
        return
      case 'peer':
        sendersLost ||= !mail.up
        return
      default:
        mail satisfies never
    }
  })
  return { appended, lookups, settlements, sendersLost, freeAfter }
}

/** Returns what is left of mail that failed twice: the new state without the attempt. */
export function resultsOfDeadLetter(mail: StorageMail, now: number): ResultsToWrite {
  switch (mail.kind) {
    case 'settle':
      return { ...NOTHING_NEW, settlements: [withoutAttempt(mail.settlement, now)] }
    case 'peer':
      return { ...NOTHING_NEW, sendersLost: !mail.up }
    case 'appended':
    case 'lookup':
      return NOTHING_NEW
    default:
      return mail satisfies never
  }
}
