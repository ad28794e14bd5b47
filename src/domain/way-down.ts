import type { ChannelName } from './delivery.ts'

/** The way back of answers from a channel is down: presses on its messages do not arrive. */
export interface WayDown {
  readonly channel: ChannelName
  /** Epoch milliseconds. */
  readonly since: number
  /** Of the last try; empty: none is known. Holds no secrets. */
  readonly error: string
}

/** All ways back that are down. */
export interface WaysDownNotice {
  readonly kind: 'ways down'
  readonly ways: readonly WayDown[]
}

/** Returns the first line of the notice, which is also its push notification and its subject. */
export const waysDownHeadline = ({ ways }: WaysDownNotice): string =>
  `🔇 Buttons do nothing: the way back of answers is down for ${ways.map(({ channel }) => channel).join(' and ')}`
