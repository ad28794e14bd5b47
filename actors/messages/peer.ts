export interface PeerMail {
  readonly kind: 'peer'
  readonly up: boolean
}

/** Word of a peer's going and coming; more unread at once would mean that threads die faster than mail is read. */
export const PEER_WINDOW = 16
