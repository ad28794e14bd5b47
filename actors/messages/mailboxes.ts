import type { CursorsLoaded, LoadCursors, Raise, Raised, SaveCursors } from './agent.ts'
import type { Accept, Commit, Committed } from './ingest-storage.ts'
import type { PeerMail } from './peer.ts'
import type { PageDue, SettlePage } from './storage-pager.ts'
import type { Deliver, Pause, Settle } from './storage-send.ts'
import type { Events, FiltersChanged, SetFilters } from './tail.ts'

/**
 * Who tells whom what. An arrow is an edge; its window is the number of places reserved for it in the receiver's mailbox.
 *
 *     http, topic --accept--> ingest --commit--> storage --deliver--> sender/<channel>
 *                      ingest <-committed- storage <--settle--- sender/<channel>
 *                                          storage ---page----> oncall
 *                                          storage <---told---- oncall
 *                      ingest <--raise---- agent ---remember--> cursors
 *                        tail <--events--- feed (one on every thread)
 *                        tail ---listen--> feed
 *
 * `peer` comes from the link itself: whoever lives beyond it is gone (its mail with it), or is back with an empty mailbox.
 */
export type IngestMail = Accept | Raise | Committed | PeerMail

export type StorageMail = Commit | Settle | SettlePage | PeerMail

export type AgentMail = Raised | CursorsLoaded | PeerMail

export type CursorsMail = SaveCursors | LoadCursors

export type SenderMail = Deliver | Pause | PeerMail

export type PagerMail = PageDue | PeerMail

export type PublisherMail = SetFilters

export type TailMail = Events | FiltersChanged
