import type { Answered } from '../../domain/answer.ts'
import type { OncallChange } from './oncall.ts'

/** An answer with what it changed at the on-call provider. */
export interface Acted {
  readonly answered: Answered
  readonly oncall: readonly OncallChange[]
}
