import { PAGE_WINDOW } from './storage-pager.ts'

interface Receivers {
  readonly channels: readonly { readonly mailbox: number }[]
  /** Absent: no pager. */
  readonly oncall?: unknown
}

/** Outcomes that may be on their way from the send thread to storage: one for each place there. */
export function settlementWindow({ channels, oncall }: Receivers): number {
  const mailboxes = channels.reduce((sum, { mailbox }) => sum + mailbox, 0)
  return Math.max(1, mailboxes + (oncall ? PAGE_WINDOW : 0))
}
