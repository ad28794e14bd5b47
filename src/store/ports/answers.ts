import type { AnswerPage, AnswerRecord } from '../../api/answer.ts'
import type { Answer, Answered } from '../../domain/answer.ts'
import type { AnswerFilter } from '../answers/filter.ts'
import type { OncallChange } from './oncall.ts'

/** An answer with what it changed at the on-call provider. */
export interface Acted {
  readonly answered: Answered
  readonly oncall: readonly OncallChange[]
}

/** Answers of people to messages. Store thread. */
export interface AnswerPort {
  /**
   * Does what a person ordered, once for each key, together with its row. Durable when it returns; throws `storage_full`,
   * `storage_down`. Silences have to be started.
   */
  answer(answer: Answer): Acted
  /** Latest first. Throws `bad_parameter` for a cursor that is not valid. */
  list(filter: AnswerFilter): AnswerPage
  /** Returns the highest number of an answer; 0: there is none. */
  latest(): number
  /** Returns the answers above a number, at most 64, in order. */
  after(id: number): readonly AnswerRecord[]
}
