import type { Dispatch, Settlement } from '../../src/domain/commit.ts'

export interface Deliver {
  readonly kind: 'deliver'
  readonly dispatch: Dispatch
}

export interface Settle {
  readonly kind: 'settle'
  readonly settlement: Settlement
}

/** Of the operator, by way of the thread. While paused, what arrives is given back untried. */
export interface Pause {
  readonly kind: 'pause'
  readonly paused: boolean
}

/** Pauses that one sender may have unread. */
export const PAUSE_WINDOW = 8

export const senderName = (channel: string) => `sender/${channel}`
