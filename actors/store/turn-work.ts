import type { Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Lookup } from '../messages/journal-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import { type ResultsToWrite, withoutAttempt } from './unwritten-results.ts'

/** All the mail of one event-loop turn, by kind. */
export interface TurnWork extends ResultsToWrite {
  /** Slot of `appended`, freed before `committed` is read. */
  readonly appended: readonly Slot[]
  /** With the slots that they hold until they are answered. */
  readonly lookups: readonly { readonly mail: Lookup; readonly slot: Slot }[]
  /** Slots of all other mail, freed when the turn is on disk. */
  readonly freeAfter: readonly Slot[]
}

export const NOTHING_NEW: TurnWork = { appended: [], lookups: [], settlements: [], sendersLost: false, freeAfter: [] }

export function sortMail(batch: readonly StorageMail[], slots: readonly Slot[]): TurnWork {
  const appended: Slot[] = []
  const lookups: TurnWork['lookups'][number][] = []
  const settlements: Settlement[] = []
  const freeAfter: Slot[] = []
  let sendersLost = false
  batch.forEach((mail, at) => {
    const slot = slots[at] as Slot
    if (mail.kind === 'appended') return void appended.push(slot)
    if (mail.kind === 'lookup') return void lookups.push({ mail, slot })
    freeAfter.push(slot)
    if (mail.kind === 'settle') settlements.push(mail.settlement)
    else sendersLost ||= !mail.up
  })
  return { appended, lookups, settlements, sendersLost, freeAfter }
}

/** Returns what is left of mail that failed twice: the new state without the attempt. */
export function resultsOfDeadLetter(mail: StorageMail, now: number): ResultsToWrite {
  if (mail.kind === 'settle') return { ...NOTHING_NEW, settlements: [withoutAttempt(mail.settlement, now)] }
  return mail.kind === 'peer' ? { ...NOTHING_NEW, sendersLost: !mail.up } : NOTHING_NEW
}
