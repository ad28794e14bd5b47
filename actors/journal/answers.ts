import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Committed } from '../messages/ingest-journal.ts'

/**
 * Answers to batches that are on disk, until they are given. Outlives the actor: a failure behind the write neither
 * writes a batch again nor leaves it unanswered. A batch is
 *
 * - absent: not written; leaves to due when it is on disk, to given
 * - due: leaves to given when its answer is in the send buffer
 * - given
 */
export class AnswersDue {
  readonly #answers = new WeakMap<Slot, Committed | 'given'>()

  due(slot: Slot, answer: Committed): void {
    this.#answers.set(slot, answer)
  }

  given(slot: Slot): void {
    this.#answers.set(slot, 'given')
  }

  of(slot: Slot): Committed | 'given' | undefined {
    return this.#answers.get(slot)
  }
}
