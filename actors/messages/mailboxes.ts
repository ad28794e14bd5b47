import type { Dispatch } from '../../src/domain/dispatch.ts'
import type { CursorsLoaded, LoadCursors, Raise, Raised, SaveCursors } from './agent.ts'
import type { Accept, Commit, Committed } from './ingest-storage.ts'
import type { PeerMail } from './peer.ts'
import type { Deliver, Pause, Settle } from './storage-send.ts'
import type { Events, FiltersChanged, SetFilters } from './tail.ts'

/**
 * The messages that each mailbox takes. An arrow is an edge; its window is the number of places that the receiver's
 * mailbox reserves for it.
 *
 *     http, topic --accept--> ingest --commit--> storage --deliver--> sender/<channel>
 *                             ingest <-committed- storage <--settle-- sender/<channel>
 *                                                storage ---page----> oncall
 *                                                storage <---told---- oncall
 *               agent --raise--> ingest          agent --remember, recall--> cursors
 *               agent <-raised-- ingest          agent <------recalled------ cursors
 *               publisher of each thread --events--> tail
 *               publisher of each thread <--listen-- tail
 *
 * `peer` comes from the link of the receiver's own thread.
 */
export type IngestMail = Accept | Raise | Committed | PeerMail

export type StorageMail = Commit | Settle | PeerMail

export type AgentMail = Raised | CursorsLoaded | PeerMail

export type CursorsMail = SaveCursors | LoadCursors

export type SenderMail<D extends Dispatch = Dispatch> = Deliver<D> | Pause | PeerMail

export type PublisherMail = SetFilters

export type TailMail = Events | FiltersChanged
