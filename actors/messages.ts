import type { DestinationState } from '../src/channels/gate.ts'
import type { CommitResult, Handout, Settlement } from '../src/domain/commit.ts'
import type { Attempt, ChannelName } from '../src/domain/delivery.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { TailEvent } from '../src/domain/event.ts'
import type { EventFilter } from '../src/domain/event-filter.ts'
import type { Overrides, Payload, Source } from '../src/domain/incident.ts'
import type { Page, Told } from '../src/domain/oncall.ts'
import type { PackedSubmissions } from '../src/domain/packing.ts'
import type { TopicOrigin } from '../src/domain/topic.ts'
import type { Verdict } from '../src/mining/contract.ts'
import type { RenderItem } from '../src/render/pool.ts'
import type { SourceCursors } from '../src/store/cursors.ts'
import type { DeliveryFilter, IncidentFilter, ReplayFilter } from '../src/store/lists.ts'
import type { IncidentRecord } from '../src/store/records.ts'

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
export type StorageMail = Commit | Settle | PageTold | PeerMail
export type AgentMail = Raised | Recalled | PeerMail
export type CursorsMail = Remember | Recall
export type SenderMail = Deliver | Pause | PeerMail
export type OncallMail = PageDue | PeerMail
export type FeedMail = Listen
export type TailMail = Events | Wishes

/** Bytes of one JSON object and what `JSON.parse` made of it. */
export interface Document {
  readonly payload: Payload
  readonly bytes: Uint8Array
}

/** One request: all its documents are committed together or none is. `answer` is called exactly once, after the commit. */
export interface Accept {
  readonly kind: 'accept'
  readonly documents: readonly Document[]
  readonly source: Source
  /** Epoch milliseconds. */
  readonly receivedAt: number
  readonly key?: string
  readonly overrides?: Overrides
  /** Of a topic message. */
  readonly origin?: TopicOrigin
  readonly answer: (answer: AcceptAnswer) => void
}
export type AcceptAnswer =
  | { readonly kind: 'created'; readonly id: string }
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode }

/** An incident of the agent's own, offered and not waited for. The key makes it one however often it is offered. */
export interface Raise {
  readonly kind: 'raise'
  readonly key: string
  /** JSON of one object. */
  readonly content: Uint8Array
  /** Epoch milliseconds. */
  readonly receivedAt: number
}
export interface Raised {
  readonly kind: 'raised'
  readonly key: string
  readonly answer: AcceptAnswer
}

/** Where the log sources go on, by name: told after the catalog that has the lines before. */
export interface Remember {
  readonly kind: 'remember'
  readonly cursors: SourceCursors
}
/** Answered with what was remembered last. */
export interface Recall {
  readonly kind: 'recall'
}
export interface Recalled {
  readonly kind: 'recalled'
  readonly cursors: SourceCursors
}

/** All that ingest took in one event-loop turn; the buffers of the contents are transferred. */
export interface Commit {
  readonly kind: 'commit'
  readonly batch: number
  readonly submissions: readonly PackedSubmissions[]
}
export interface Committed {
  readonly kind: 'committed'
  readonly batch: number
  /** Parallel to the submissions; absent when every one was created. */
  readonly results?: readonly CommitResult[]
}

export interface Deliver {
  readonly kind: 'deliver'
  readonly handout: Handout
}
export interface Settle {
  readonly kind: 'settle'
  readonly settlement: Settlement
}

/** Something that the on-call provider is to be told now. */
export interface PageDue {
  readonly kind: 'page'
  readonly page: Page
}
export interface PageTold {
  readonly kind: 'told'
  readonly told: Told
}

/** Who watches now, in place of who watched before; empty: nobody. */
export interface Listen {
  readonly kind: 'listen'
  /** What fits any of them is wanted. */
  readonly filters: readonly EventFilter[]
}
/** What happened on one thread in one turn, in order, as far as anybody wants to see it. */
export interface Events {
  readonly kind: 'events'
  readonly events: readonly TailEvent[]
  /** Of those that followed, so many found no place. */
  readonly lost: number
}
/** Of the operator, by way of the thread. While paused, what arrives is given back untried. */
export interface Pause {
  readonly kind: 'pause'
  readonly paused: boolean
}

/** Somebody watches something else than before, or a thread is up that was told nothing yet. */
export interface Wishes {
  readonly kind: 'wishes'
}

export interface PeerMail {
  readonly kind: 'peer'
  readonly up: boolean
}

/** Questions to an actor; each has its deadline where it is asked. */
export type StorageQuery =
  /** Proves that a write commits right now; rejects with storage_full or storage_down. */
  | { readonly kind: 'check' }
  /** From now on nothing is handed out, so that the senders can be drained. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'release' }
  /** How the thread is to log from now on. */
  | { readonly kind: 'log'; readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly secrets: readonly string[] }
  /** Answers a `StoreState`. */
  | { readonly kind: 'state' }
  | { readonly kind: 'incidents'; readonly filter: IncidentFilter }
  | { readonly kind: 'incident'; readonly id: string }
  | { readonly kind: 'deliveries'; readonly filter: DeliveryFilter }
  /** The health of every channel. */
  | { readonly kind: 'channels' }
  /** From now on, and after a restart, nothing is handed out to the channel. */
  | { readonly kind: 'pause'; readonly channel: ChannelName }
  | { readonly kind: 'resume'; readonly channel: ChannelName }
  /** Dead deliveries become pending again; answers how many. */
  | { readonly kind: 'replay'; readonly filter: ReplayFilter }
  /** Every finished delivery of the incident becomes pending again; false: no such incident. */
  | { readonly kind: 'resend'; readonly id: string }
  /** The incident without what belongs to it; undefined: no such incident. */
  | { readonly kind: 'record'; readonly id: string }
  /** Somebody takes care of the incident; answers `Acknowledged`. */
  | { readonly kind: 'acknowledge'; readonly id: string; readonly by: string }
  /** The problem is over, whatever its sender says; false: no such incident. */
  | { readonly kind: 'resolve'; readonly id: string; readonly by: string }

/** `already`: somebody else's word was earlier, and stays. The incident is as it is on disk now. */
export type Acknowledged =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'acknowledged' | 'already'; readonly incident: IncidentRecord }

/**
 * Batches that ingest may have under way to storage; also the replies that may be on their way back. One is being committed, the next ones
 * wait: more would not make the disk faster, only the batches smaller.
 */
export const COMMIT_WINDOW = 16
/** Pages that the OnCallActor may hold: some on the wire, the next ones at hand. What exceeds them waits on disk. */
export const PAGE_WINDOW = 128
/** Incidents of the agent that may be under way to ingest, and answers on their way back. */
export const RAISE_WINDOW = 8
/** Cursors under way to the store, and back: the next ones replace them. */
export const CURSOR_WINDOW = 2
/** Word of a peer's going and coming; more unread at once would mean that threads die faster than mail is read. */
export const PEER_WINDOW = 16

/**
 * Messages that a feed may have under way to the tail, and the tail to a feed. The tail settles one when its events have been sent to the
 * clients: so this, and what a feed holds, bounds how many events anybody is sent.
 */
export const FEED_WINDOW = 2

/** Pauses that one sender may have unread. */
export const PAUSE_WINDOW = 8

/** Questions to the send thread, whose senders answer by their own names. */
export type SendQuery =
  | PreviewQuery
  /** `TemplateText[]` of all channels whose template can be read. */
  | { readonly kind: 'templates' }
  /** `SenderState[]` of the enabled channels. */
  | { readonly kind: 'senders' }
  | { readonly kind: 'pause'; readonly channel: ChannelName; readonly paused: boolean }
  /** A `TrialReport`. */
  | { readonly kind: 'trial'; readonly channel: ChannelName; readonly target?: string }

/** The message a channel would get. */
export interface PreviewQuery {
  readonly kind: 'preview'
  readonly channel: ChannelName
  readonly item: RenderItem
  /** In place of the text of the channel's own, in its dialect. */
  readonly template?: string
}

/** The template of a channel as it was read. */
export interface TemplateText {
  readonly channel: string
  readonly file: string
  readonly text: string
  /** Of the channel. */
  readonly enabled: boolean
}

/** What became of a message that proves a channel to its operator: no incident, no line in the ledger. */
export interface TrialReport extends Partial<Pick<Attempt, 'messageId' | 'renderFault'>> {
  readonly ok: boolean
  /** The provider's answer or the failure, scrubbed. */
  readonly detail: string
  readonly text: string
  readonly renderMs: number
  readonly limiterWaitMs: number
  readonly durationMs: number
}

/** One sender as it stands. */
export interface SenderState {
  readonly channel: ChannelName
  readonly mailbox: { readonly depth: number; readonly capacity: number }
  /** On the wire. */
  readonly sending: number
  readonly destinations: readonly DestinationState[]
}

export const senderName = (channel: string) => `sender/${channel}`

/** Asked of the agent thread. */
export type AgentQuery =
  | { readonly kind: 'status' }
  /** Seen last first. */
  | { readonly kind: 'patterns'; readonly limit: number }
  | { readonly kind: 'pattern'; readonly id: string }
  | {
      readonly kind: 'label'
      readonly id: string
      readonly label: { readonly verdict?: Verdict; readonly tags?: readonly string[] }
    }
  | { readonly kind: 'forget'; readonly id: string }
  | { readonly kind: 'clear-patterns' }
  | { readonly kind: 'services' }
  | { readonly kind: 'grace'; readonly name: string; readonly action: 'end' | 'restart' }
  | { readonly kind: 'shadow' }
  | { readonly kind: 'shadow-stats' }
  | { readonly kind: 'clear-shadow' }
  | { readonly kind: 'detect' }
  | { readonly kind: 'detect-stats' }
  | { readonly kind: 'detect-event'; readonly id: string }
  | { readonly kind: 'clear-detect' }
  | { readonly kind: 'flush-detect' }
  /** Writes everything to disk. */
  | { readonly kind: 'flush' }
  /** Lines for a source of type http; answered when they wait to be read. */
  | { readonly kind: 'push'; readonly source: string; readonly contentType: string; readonly body: Uint8Array }
