import { PAGE_WINDOW } from './messages.ts'
import type { SendBoot, StoreBoot } from './settings.ts'

/** Outcomes that may be on their way from the send thread to storage: one for each place there. */
export function outcomesOf({ channels, oncall }: Pick<StoreBoot | SendBoot, 'channels' | 'oncall'>): number {
  const mailboxes = channels.reduce((sum, { mailbox }) => sum + mailbox, 0)
  return Math.max(1, mailboxes + (oncall ? PAGE_WINDOW : 0))
}
