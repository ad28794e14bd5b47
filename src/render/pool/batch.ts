import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import type { Fault, RenderAnswer } from './protocol.ts'
import type { TurnEnd } from './threads.ts'

/** What became of one item. */
export type Settled =
  | {
      readonly kind: 'text'
      readonly text: string
      readonly subject?: string
      /** The text was cut to the channel's limit. */
      readonly cut: boolean
      readonly renderMs: number
    }
  | { readonly kind: 'fault'; readonly fault: Fault; readonly renderMs: number }

/** Turns that may end badly before the rest of a batch goes out as plain text: what is late must not become much later. */
const MAX_SETBACKS = 4

const UNKNOWN: Fault = { code: 'internal', says: ERRORS.internal.says }

/** The items of one batch on their way: every turn settles some of them, or is a setback, until none is left. */
export class Batch<Item> {
  readonly #items: readonly Item[]
  readonly #settled: Settled[] = []
  /** Indices of the unsettled items, in order. */
  readonly #fresh: Set<number>
  /** Items during which a thread died. That may have been chance: each is tried once more, last and alone. */
  readonly #suspects = new Set<number>()
  readonly #deadlineMs: number
  #setbacks = 0

  constructor(items: readonly Item[], deadlineMs: number) {
    this.#items = items
    this.#fresh = new Set(items.keys())
    this.#deadlineMs = deadlineMs
  }

  /** Items for the next turn; none when all are settled. */
  next(): readonly Item[] {
    return this.#turn().flatMap((index) => this.#items[index] ?? [])
  }

  /** By item, in their order; complete when `next` gives nothing. */
  get settled(): readonly Settled[] {
    return this.#settled
  }

  /** How the turn with the items of `next` ended. */
  take(end: TurnEnd): void {
    switch (end.kind) {
      case 'rendered':
        this.#rendered(end)
        return
      case 'invalid':
        this.#giveUp(end.fault)
        return
      case 'late':
        this.#late(end.item)
        return
      case 'died':
        this.#died(failure('template_failed', `the thread ended: ${end.says}`), end.item)
        return
      default:
        end satisfies never
    }
  }

  #turn(): readonly number[] {
    return this.#fresh.size > 0 ? [...this.#fresh] : [...this.#suspects].slice(0, 1)
  }

  #rendered({ texts, renderMs, cuts, subjects, faults }: Extract<RenderAnswer, { kind: 'rendered' }>): void {
    for (const [place, index] of this.#turn().slice(0, texts.length).entries()) {
      const text = texts[place]
      const subject = subjects?.[place]
      const ms = renderMs[place] ?? 0
      const cut = cuts.includes(place)
      this.#settle(
        index,
        typeof text === 'string'
          ? { kind: 'text', text, ...(subject !== undefined && { subject }), cut, renderMs: ms }
          : { kind: 'fault', fault: faults?.[place] ?? UNKNOWN, renderMs: ms },
      )
    }
  }

  #late(item: number | undefined): void {
    if (item === undefined) {
      this.#setback(failure('internal', 'no render thread was ready in time'))
      return
    }
    const fault = failure('template_deadline', `rendering took longer than ${this.#deadlineMs} ms`)
    const index = this.#turn()[item - 1]
    if (index !== undefined) this.#settle(index, { kind: 'fault', fault, renderMs: this.#deadlineMs })
    this.#setback(fault)
  }

  #died(fault: Fault, item = 0): void {
    const index = this.#turn()[item - 1]
    if (index !== undefined) {
      if (this.#suspects.has(index)) this.#settle(index, { kind: 'fault', fault, renderMs: 0 })
      else this.#suspects.add(index)
      this.#fresh.delete(index)
    }
    this.#setback(fault)
  }

  #setback(fault: Fault): void {
    this.#setbacks++
    if (this.#setbacks >= MAX_SETBACKS) this.#giveUp(fault)
  }

  #giveUp(fault: Fault): void {
    for (const index of [...this.#fresh, ...this.#suspects]) this.#settle(index, { kind: 'fault', fault, renderMs: 0 })
  }

  #settle(index: number, settled: Settled): void {
    this.#settled[index] = settled
    this.#fresh.delete(index)
    this.#suspects.delete(index)
  }
}

const MAX_FAULT_CHARACTERS = 300

/** A fault on one bounded line, whatever an error's message was made of. */
export function failure(code: ErrorCode, says: string): Fault {
  return { code, says: says.replace(/\s+/g, ' ').trim().slice(0, MAX_FAULT_CHARACTERS) }
}
