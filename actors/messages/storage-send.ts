import type { Dispatch, Settlement } from '../../src/domain/commit.ts'

/**
 *     storage --deliver--> sender/<channel>        send thread, for an operator --pause--> sender/<channel>
 *     storage <--settle--- sender/<channel>
 *
 * - deliver: `alert.<channel>.mailbox`, and 16 MiB of payload for each sender. When full, deliveries stay pending
 *   on disk.
 * - settle: settlementWindow, one place for each delivery that may be out.
 * - pause: PAUSE_WINDOW. When full, the message is dropped, which is harmless: storage dispatches nothing to a paused
 *   channel, so only what the sender already holds goes out.
 */

export interface Deliver {
  readonly kind: 'deliver'
  readonly dispatch: Dispatch
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

export const senderName = (channel: string) => `sender/${channel}`
