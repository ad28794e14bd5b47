/** `each`: a repeat is a message like any other incident; `fold`: it gets a place beside the first message. */
export interface RepeatRules {
  readonly mode: 'each' | 'fold'
  /** Where messages cannot be edited, the repeats of this time are told by one message. */
  readonly remindMs: number
}

export const EACH: RepeatRules = { mode: 'each', remindMs: 4 * 3_600_000 }
