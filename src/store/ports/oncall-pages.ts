import type { PageProblem } from '../../domain/delivery/notice.ts'
import type { GatewayReport, PageAction } from '../../domain/oncall.ts'
import type { OncallChange } from './oncall.ts'

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

/**
 * Messages to people, after they were sent. Store thread. `press` and `reported` are durable when they return, and throw
 * `storage_full`, `storage_down`.
 */
export interface OncallPagesPort {
  /** `message`: number of the message. Undefined: there is none, or its runs were deleted. */
  view(message: number): PersonalPage | undefined
  /** Acknowledges as the person of the message, for all that it counts, or declines. Once: a repetition is `already`. */
  press(
    message: number,
    action: PageAction,
  ): { readonly pressed: PressedPage; readonly oncall: readonly OncallChange[] }
  /** Runs the next step of the run of a problem at once; false: it has none. */
  escalate(problem: number, by: string): boolean
  /**
   * Takes what a gateway says of the page with its id; undefined: that gateway got none with the id. `failed` brings the next way of
   * the person forward, `acknowledged` and `declined` press as the person. A repetition changes nothing.
   */
  reported(report: GatewayReport): { readonly oncall: readonly OncallChange[] } | undefined
}
