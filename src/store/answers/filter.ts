import type { AnswerResult, AnswerVia } from '../../domain/answer.ts'

export interface AnswerFilter {
  readonly limit: number
  /** `next_cursor` of the previous page. */
  readonly cursor?: string
  /** Number of the problem. */
  readonly problem?: number
  /** Name or id of the actor, or key of the person. */
  readonly by?: string
  readonly via?: AnswerVia
  readonly result?: AnswerResult
}
