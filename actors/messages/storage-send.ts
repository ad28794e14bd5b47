import type { Destination } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, Settlement } from '../../src/domain/delivery/dispatch.ts'

/**
 *     storage --deliver--> sender/<channel>        send thread, for an operator --pause--> sender/<channel>
 *     storage <--settle--- sender/<channel>
 *     storage --deliver--> oncall, the pager
 *     storage <--settle--- oncall
 *
 * - deliver: `alert.<channel>.mailbox`, for the pager PAGE_WINDOW, and 16 MiB of payload for each sender. When full,
 *   dispatches stay pending on disk.
 * - settle: settlementWindow, one place for each dispatch that may be out.
 * - pause: PAUSE_WINDOW. When full, the message is dropped, which is harmless: storage dispatches nothing to a paused
 *   channel, so only what the sender already holds goes out.
 */

/** A leased dispatch for a sender. */
export interface Deliver<D extends Dispatch = Dispatch> {
  readonly kind: 'deliver'
  readonly dispatch: D
}

export interface Settle {
  readonly kind: 'settle'
  readonly settlement: Settlement
}

/** Pauses or resumes the sender. While paused it releases what arrives. */
export interface Pause {
  readonly kind: 'pause'
  readonly paused: boolean
}

export const PAUSE_WINDOW = 8
/** Pages that the pager may hold: those on the wire and the next ones. */
export const PAGE_WINDOW = 128

export const senderName = (destination: Destination) =>
  destination === 'oncall' ? destination : `sender/${destination}`

interface Receivers {
  readonly channels: readonly { readonly mailbox: number }[]
  readonly pager: boolean
}

/**
 * Window of the edge from the send thread to storage, shared by senders and pager: one place for each dispatch that
 * may be out.
 */
export function settlementWindow({ channels, pager }: Receivers): number {
  const mailboxes = channels.reduce((sum, { mailbox }) => sum + mailbox, 0)
  return Math.max(1, mailboxes + (pager ? PAGE_WINDOW : 0))
}
