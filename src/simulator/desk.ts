import type { Received, Reply } from './exchange.ts'
import { type Editing, type HttpKind, tooMany } from './http-kind.ts'
import type { RequestRecorder } from './provider.ts'

/** The rate that each chat is allowed, posts and edits together. */
export interface ChatLimiter {
  /** Returns 0, or the whole seconds after which the chat may be asked again. */
  take(chat: string): number
}

/** The part of a recorder that counts. */
type Book = Pick<RequestRecorder, 'taken' | 'messages' | 'posts' | 'edits' | 'limited'>

/** Answers the requests of one stand-in as its provider would, and keeps the messages that can be edited. */
export class Desk {
  readonly #kind: HttpKind
  readonly #book: Book
  readonly #limiter: ChatLimiter | undefined

  constructor(kind: HttpKind, book: Book, limiter: ChatLimiter | undefined) {
    this.#kind = kind
    this.#book = book
    this.#limiter = limiter
  }

  answer(request: Received): Reply {
    const { editing } = this.#kind
    const chat = editing?.chatOf(request) ?? request.path
    const waitS = this.#limiter?.take(chat) ?? 0
    if (waitS > 0) {
      this.#book.limited++
      return (this.#kind.limited ?? tooMany)(waitS)
    }
    const sequence = editing?.sequenceOf?.(request)
    const edited = editing?.editedBy(request) ?? this.#numberOf(chat, sequence)
    if (editing && edited !== undefined) return this.#edit(request, { chat, number: edited, ...editing })
    this.#book.posts++
    this.#book.taken.push(request)
    if (editing) this.#book.messages.push({ chat, text: request.text, edits: 0, ...(sequence && { sequence }) })
    return this.#kind.success(request, this.#book.posts)
  }

  /** Returns the number of the message with the name, from 1; undefined: it is a new one. */
  #numberOf(chat: string, sequence: string | undefined): number | undefined {
    if (sequence === undefined) return undefined
    const at = this.#book.messages.findIndex((each) => each.chat === chat && each.sequence === sequence)
    return at < 0 ? undefined : at + 1
  }

  #edit(request: Received, { chat, number, missing, unchanged }: EditCall): Reply {
    const message = this.#book.messages[number - 1]
    if (message?.chat !== chat) return missing
    if (unchanged && message.text === request.text) return unchanged
    this.#book.messages[number - 1] = { ...message, chat, text: request.text, edits: message.edits + 1 }
    this.#book.edits++
    this.#book.taken.push(request)
    return this.#kind.success(request, number)
  }
}

interface EditCall extends Pick<Editing, 'missing' | 'unchanged'> {
  readonly chat: string
  readonly number: number
}
