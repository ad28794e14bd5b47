import type { Answered } from '../../domain/answer.ts'
import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { openAcknowledge } from '../incidents/acknowledge.ts'
import type { NoiseParts } from '../noise/noise.ts'
import type { PressedSilences } from '../noise/silences/open.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { ProblemActions } from '../problems/operate.ts'
import type { Copies } from './copies.ts'
import type { AnswerRows } from './rows.ts'

/** What people do to problems, and what follows from it. */
export interface AnswerDeps {
  /** Commands on one incident. */
  readonly incidents: ReturnType<typeof openAcknowledge>
  readonly actions: ProblemActions
  readonly copies: Copies
  readonly pressed: PressedSilences
  /** The enabled channels from whose messages people answer. */
  readonly answering: readonly ChannelName[]
}

/** The store's parts with those of answers. */
export type AnswerParts = NoiseParts & AnswerDeps & { readonly rows: AnswerRows }

/** An answer with what it changed at the on-call provider. */
export interface Acted {
  readonly answered: Answered
  readonly oncall: readonly OncallChange[]
}
