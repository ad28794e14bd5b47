/**
 * A link tells the actors of its own thread that the peer thread ended (its mail is lost with it), or that the next one
 * is connected (its mailboxes are empty).
 */
export interface PeerMail {
  readonly kind: 'peer'
  readonly up: boolean
}

/**
 * Unread notices of one actor. When full, a notice is lost and counted in tocsin_link_lost_total: threads would have to
 * die faster than mail is read.
 */
export const PEER_WINDOW = 16
