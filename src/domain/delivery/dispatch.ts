import type { AnswerState } from '../answer.ts'
import type { GroupNote } from '../group-note.ts'
import type { Draft } from '../incident.ts'
import type { Signal } from '../page.ts'
import type { Repeats } from '../repeats.ts'
import type { Attempt, ChannelName, Destination, DispatchVerdict } from './delivery.ts'
import type { LineNotice, Notice, PageNotice } from './notice.ts'

/**
 * Kinds of what the outbox holds:
 *
 *     delivery    an incident's message to a channel
 *     notice      a message of the service's own: deliveries or pages are dead
 *     follow-up   a line in the thread of an incident's message
 *     page        a signal to the on-call provider
 *     digest      a revision of the digest of a storm, or of the repeats of a problem, which tells of many incidents
 */
export type DispatchKind = 'delivery' | 'notice' | 'follow-up' | 'page' | 'digest'

/** Identity of a dispatch in the outbox. */
export interface DispatchKey {
  readonly kind: DispatchKind
  readonly destination: Destination
  /** Storage's number of the destination: of the channel, or of one of its other destinations. */
  readonly code: number
  /** Storage's number of the incident, in order of commit; 0 for a notice or digest, which belongs to none. */
  readonly incident: number
  /** Tells notices and digests apart, and the follow-ups of one incident; of a page the number of its problem; else 0. */
  readonly number: number
  /** Name of another destination of the channel or provider: tells the pages of one incident apart. */
  readonly target?: string
}

export const keyOf = ({ kind, destination, code, incident, number, target }: DispatchKey): DispatchKey => ({
  kind,
  destination,
  code,
  incident,
  number,
  ...(kind === 'page' && target !== undefined && { target }),
})

/** A leased dispatch on its way from storage to its sender, which returns exactly one settlement for it. */
export type Dispatch = MessageDispatch | PagerDispatch

/** What the pager sends. */
export type PagerDispatch = Page | GatewayPage

interface Leased extends DispatchKey, Omit<Draft, 'content'> {
  /** 1-based number of the attempt that is about to be made. */
  readonly attempt: number
  /** The outcome of an earlier attempt is unknown: the message may arrive twice. */
  readonly mayDuplicate: boolean
  /** Time of the claim, epoch milliseconds. */
  readonly dispatchedAt: number
  /** Number of the incident's problem, for the acknowledge link. */
  readonly problem?: number
}

/** Ranks of a message, in the order of sending. While storm digests are off, every message is `normal`. */
export const RANK = { urgent: 0, digest: 1, normal: 2, low: 3 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

/** A message for a channel. */
export interface MessageDispatch extends Leased {
  readonly kind: Exclude<DispatchKind, 'page'>
  readonly destination: ChannelName
  readonly rank: Rank
  /** Its destination is in a storm: see the token bucket. */
  readonly storm?: true
  readonly committedAt: number
  /** The incident pages or has paged: its message has a link to acknowledge also where few incidents page. */
  readonly pages?: true
  /** The provider's id of the firing message this one resolves. */
  readonly inReplyTo?: string
  /** The reply is shown in the chat itself too. */
  readonly broadcast?: true
  /** The provider's id of the message whose text this one replaces. Absent: a new message. */
  readonly edits?: string
  readonly content: Uint8Array
  /** Number of incidents that the message tells of, for a line at its end. */
  readonly repeats?: Repeats
  /** The group of which the message tells, for lines at its end. */
  readonly group?: GroupNote
  /** Path of the template that a route chose; absent: the channel's. */
  readonly template?: string
  /** Content of a notice or follow-up, which is printed without a template. */
  readonly notice?: Notice
  /** Where people answer from the message: the state of its problem now. */
  readonly answers?: AnswerState
}

/** A signal for the on-call provider. */
export interface Page extends Leased {
  readonly kind: 'page'
  readonly destination: 'oncall'
  readonly signal: Signal
  /** Due time of the page, epoch milliseconds. */
  readonly dueAt: number
  /** Values of its group by name, for a trigger; absent: it is in none. */
  readonly group?: { readonly [part: string]: string }
  /** Name of the person who acknowledged. */
  readonly by?: string
  /** The payload; absent when it is larger than 64 KiB. */
  readonly content?: Uint8Array
}

/** A message to a person through a gateway. */
export interface GatewayPage extends Leased {
  readonly kind: 'notice'
  readonly destination: 'oncall'
  readonly notice: PageNotice | LineNotice
  readonly gateway: {
    readonly name: string
    /** Telephone number or other address of the person. It is in no log and no ledger. */
    readonly to: string
    /** 128 random bits, the same for each retry. */
    readonly id: string
    /** It tests the way: nobody has to answer. */
    readonly test?: true
  }
  /** It has none. */
  readonly content?: Uint8Array
}

/** Result of a dispatch. */
export interface Settlement extends DispatchKey {
  /** Absent when nothing was attempted (`released`). */
  readonly attempt?: Attempt
  /** Text that was sent, for the ledger. */
  readonly text?: string
  readonly verdict: DispatchVerdict
  /** After the attempt the destination's circuit is open. */
  readonly circuitOpen?: true
}
