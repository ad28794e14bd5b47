import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import type { RenderAnswer, RenderFailure } from './protocol.ts'
import type { TurnEnd } from './threads.ts'

/** Result of one item. */
export type ItemResult =
  | {
      readonly kind: 'text'
      readonly text: string
      readonly subject?: string
      /** The text was cut to the channel's limit. */
      readonly cut: boolean
      readonly renderMs: number
    }
  | { readonly kind: 'failure'; readonly failure: RenderFailure; readonly renderMs: number }

/** Failed turns after which the rest of a batch goes out as plain text, so that messages are not delayed further. */
const MAX_FAILED_TURNS = 4

const UNKNOWN_FAILURE: RenderFailure = { code: 'internal', message: ERRORS.internal.message }

/**
 * Progress of one batch through turns, that is tasks of a render thread. Every turn finishes some items or fails, until
 * all items have a result.
 * - untried: not rendered yet; leaves to finished, or to suspect when a thread died while rendering it.
 * - suspect: rendered again alone, after all untried ones; leaves to finished.
 * - finished: has a result.
 */
export class Batch<Item> {
  readonly #items: readonly Item[]
  readonly #results: ItemResult[] = []
  /** Indices of the untried items, in order. */
  readonly #untried: Set<number>
  /** Indices of items during which a thread died, which may have had another cause. */
  readonly #suspects = new Set<number>()
  readonly #deadlineMs: number
  #failedTurns = 0

  constructor(items: readonly Item[], deadlineMs: number) {
    this.#items = items
    this.#untried = new Set(items.keys())
    this.#deadlineMs = deadlineMs
  }

  /** Returns the items of the next turn; none when all are finished. */
  next(): readonly Item[] {
    return this.#turn().flatMap((index) => this.#items[index] ?? [])
  }

  /** Results in the order of the items; complete when `next` returns no items. */
  get results(): readonly ItemResult[] {
    return this.#results
  }

  /** Records the end of the turn with the items of `next`. */
  endTurn(end: TurnEnd): void {
    switch (end.kind) {
      case 'rendered':
        this.#endRendered(end)
        return
      case 'invalid':
        this.#giveUp(end.failure)
        return
      case 'late':
        this.#endLate(end.item)
        return
      case 'died':
        this.#endDied(toRenderFailure('template_failed', `the thread ended: ${end.message}`), end.item)
        return
      default:
        end satisfies never
    }
  }

  #turn(): readonly number[] {
    return this.#untried.size > 0 ? [...this.#untried] : [...this.#suspects].slice(0, 1)
  }

  #endRendered({ texts, renderMs, cuts, subjects, failures }: Extract<RenderAnswer, { kind: 'rendered' }>): void {
    for (const [position, index] of this.#turn().slice(0, texts.length).entries()) {
      const text = texts[position]
      const subject = subjects?.[position]
      const ms = renderMs[position] ?? 0
      const cut = cuts.includes(position)
      this.#finish(
        index,
        typeof text === 'string'
          ? { kind: 'text', text, ...(subject !== undefined && { subject }), cut, renderMs: ms }
          : { kind: 'failure', failure: failures?.[position] ?? UNKNOWN_FAILURE, renderMs: ms },
      )
    }
  }

  #endLate(item: number | undefined): void {
    if (item === undefined) {
      this.#recordFailedTurn(toRenderFailure('internal', 'no render thread was ready in time'))
      return
    }
    const failure = toRenderFailure('template_deadline', `rendering took longer than ${this.#deadlineMs} ms`)
    const index = this.#turn()[item - 1]
    if (index !== undefined) this.#finish(index, { kind: 'failure', failure, renderMs: this.#deadlineMs })
    this.#recordFailedTurn(failure)
  }

  #endDied(failure: RenderFailure, item = 0): void {
    const index = this.#turn()[item - 1]
    if (index !== undefined) {
      if (this.#suspects.has(index)) this.#finish(index, { kind: 'failure', failure, renderMs: 0 })
      else this.#suspects.add(index)
      this.#untried.delete(index)
    }
    this.#recordFailedTurn(failure)
  }

  #recordFailedTurn(failure: RenderFailure): void {
    this.#failedTurns++
    if (this.#failedTurns >= MAX_FAILED_TURNS) this.#giveUp(failure)
  }

  #giveUp(failure: RenderFailure): void {
    for (const index of [...this.#untried, ...this.#suspects])
      this.#finish(index, { kind: 'failure', failure, renderMs: 0 })
  }

  #finish(index: number, result: ItemResult): void {
    this.#results[index] = result
    this.#untried.delete(index)
    this.#suspects.delete(index)
  }
}

const MAX_MESSAGE_CHARACTERS = 300

/** Creates a failure with a message on one line of at most 300 characters. */
export function toRenderFailure(code: ErrorCode, message: string): RenderFailure {
  return { code, message: message.replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE_CHARACTERS) }
}
