import type { Dispatch } from '../../src/domain/delivery/dispatch.ts'
import type { CursorsLoaded, LoadCursors, Raise, Raised, SaveCursors } from './agent.ts'
import type { Commit, Committed } from './ingest-journal.ts'
import type { Found, JournalToStorage } from './journal-storage.ts'
import type { PeerMail } from './peer.ts'
import type { Deliver, Pause, Settle } from './storage-send.ts'
import type { Events, FiltersChanged, SetFilters } from './tail.ts'

/**
 * The messages that each mailbox takes. An arrow is an edge; its window is the number of places that the receiver's
 * mailbox reserves for it.
 *
 *     http, topic --submit--> ingest --commit--> journal --appended, lookup--> storage
 *                             ingest <-committed- journal <------found------- storage
 *                                                storage --deliver--> sender/<channel>
 *                                                storage <--settle--- sender/<channel>
 *                                                storage --deliver--> oncall
 *                                                storage <--settle--- oncall
 *               agent --raise--> ingest          agent --save-cursors, load-cursors--> cursors
 *               agent <-raised-- ingest          agent <--------cursors-loaded-------- cursors
 *               publisher of each thread --events-------> tail
 *               publisher of each thread <--set-filters-- tail
 *
 * `peer` comes from the link of the receiver's own thread.
 */
export type IngestMail = Raise | Committed | PeerMail

export type JournalMail = Commit | Found | PeerMail

export type StorageMail = JournalToStorage | Settle | PeerMail

export type AgentMail = Raised | CursorsLoaded | PeerMail

export type CursorsMail = SaveCursors | LoadCursors

export type SenderMail<D extends Dispatch = Dispatch> = Deliver<D> | Pause | PeerMail

export type PublisherMail = SetFilters

export type TailMail = Events | FiltersChanged
