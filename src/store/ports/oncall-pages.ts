import type { PageProblem } from '../../domain/delivery/notice.ts'

/** A problem that a message to a person counts, as it is now. */
export interface AskedProblem extends PageProblem {
  /** Its run has ended: it is resolved, or on-call was switched off. */
  readonly over: boolean
  /** Name of the person who acknowledged it; absent: nobody has it. */
  readonly by?: string
}

/** A message to a person, with the problems that it counts, the loudest first. */
export interface PersonalPage {
  /** Name of the person, as others see it. */
  readonly person: string
  readonly problems: readonly AskedProblem[]
}

/**
 * What became of a press:
 *
 *     done      at least one run heard it
 *     already   an earlier press, or an acknowledgement of another person, stays
 *     over      all runs that the message counts have ended
 */
export type PressedPage = { readonly kind: 'unknown' } | (PersonalPage & { readonly kind: 'done' | 'already' | 'over' })
