import { CHANNEL_NAMES, type ChannelName } from './delivery/delivery.ts'

/**
 * Acts of a person on a problem, from where its message is read. `silence`: for `minutes`. Any silence acknowledges too.
 * `acknowledge_all`: the problems that a digest tells of. `test`: nothing; the answer names the person's id.
 */
export const ANSWER_ACTIONS = [
  'acknowledge',
  'resolve',
  'silence',
  'silence_until_resolved',
  'end_silence',
  'acknowledge_all',
  'test',
] as const
export type AnswerAction = (typeof ANSWER_ACTIONS)[number]

/** What a button is about. `revision`: the one of the digest that carried the button. */
export type AnswerSubject =
  | { readonly kind: 'incident'; readonly id: string }
  | { readonly kind: 'digest'; readonly number: number; readonly revision: number }

/** What a button does; its token says it. */
export interface AnswerOrder {
  readonly action: AnswerAction
  readonly subject: AnswerSubject
  /** Of `silence`: 1 to 43,200. */
  readonly minutes?: number
}

/** Ways by which people answer: the channel whose message they pressed, a signed link, or an operator. */
export const ANSWER_WAYS = [...CHANNEL_NAMES, 'link', 'admin'] as const
export type AnswerVia = (typeof ANSWER_WAYS)[number]

/** An order of a known person, for storage. */
export interface Answer extends AnswerOrder {
  /** Of the press itself: a repetition of a key has the result of the first. At most 200 characters. */
  readonly key: string
  readonly via: AnswerVia
  /** Key in `people`; absent: the person is not listed. */
  readonly person?: string
  /** Name to show: that of `people`, or the provider's with its id. */
  readonly actor: string
  /** The provider's id of the person; '' where there is none. */
  readonly actorId: string
  /** The provider's id of the chat; '' where there is none. */
  readonly place: string
  /** The message that was pressed, for copies that the ledger does not know; absent for links. */
  readonly copy?: {
    readonly messageId: string
    /** Name of its destination; absent: the default one. Not known with `mustBeCopy`. */
    readonly target?: string
  }
  /** The chat is not a configured one: storage must have sent the pressed message for this problem, else it is `wrong_chat`. */
  readonly mustBeCopy?: true
  /** Of a silence until resolved, milliseconds. */
  readonly quietForMs: number
  readonly maxMs: number
}

/**
 * - done: durable when storage answers
 * - already: it was so before
 * - over: the problem is resolved
 * - superseded: the message is of an earlier problem of the fingerprint
 * - unknown: no incident has the id
 * - not_allowed, wrong_chat, forged, too_many: refused before storage
 * - not_silenced: as many silences are live as may be; it is only acknowledged
 * - not_stored: not committed
 */
export const ANSWER_RESULTS = [
  'done',
  'already',
  'over',
  'superseded',
  'unknown',
  'not_allowed',
  'wrong_chat',
  'forged',
  'too_many',
  'not_silenced',
  'not_stored',
] as const
export type AnswerResult = (typeof ANSWER_RESULTS)[number]

/** What became of an answer. */
export interface Answered {
  readonly result: AnswerResult
  /** Number of the problem; absent when none is known. */
  readonly problem?: number
  readonly title?: string
  /** Who acknowledged or resolved it, and when (epoch milliseconds), for `already` and `over`. */
  readonly by?: string
  readonly at?: number
  /** Number of the silence that was made, prolonged or ended. */
  readonly silence?: number
  /** The key was known: this is the result of an earlier press. */
  readonly again?: true
}

/** What a message shows of its problem below its text. Storage adds it to a dispatch at its claim. */
export interface AnswerState {
  readonly subject: AnswerSubject
  /** `over`: resolved, or no message of it is the newest any more. */
  readonly phase: 'firing' | 'over'
  /** The last thing that a person did; `until` of silences: epoch milliseconds, or until it is resolved. */
  readonly last?: {
    readonly did: 'acknowledged' | 'resolved' | 'silenced' | 'silence_ended'
    readonly by: string
    readonly at: number
    readonly until?: number | 'resolved'
  }
  readonly acknowledged: boolean
  readonly silenced: boolean
}

/** A button of a message. */
export interface AnswerButton {
  readonly action: AnswerAction
  readonly label: string
  readonly token: string
}

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
