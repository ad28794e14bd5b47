import { PAGE_WINDOW } from './storage-send.ts'

interface Receivers {
  readonly channels: readonly { readonly mailbox: number }[]
  /** Absent: no pager. */
  readonly oncall?: unknown
}

/**
 * Window of the edge from the send thread to storage, shared by senders and pager: one place for each dispatch that
 * may be out.
 */
export function settlementWindow({ channels, oncall }: Receivers): number {
  const mailboxes = channels.reduce((sum, { mailbox }) => sum + mailbox, 0)
  return Math.max(1, mailboxes + (oncall ? PAGE_WINDOW : 0))
}
