import { nextEditAt } from '../../../policy/repeat.ts'

/** `each`: a repeat is a message like any other incident; `fold`: it gets a place beside the first message. */
export interface RepeatRules {
  readonly mode: 'each' | 'fold'
  /** Where messages cannot be edited, the repeats of this time are told by one message. */
  readonly remindMs: number
}

/** Messages about problems that flap; absent: every change of state is a message. */
export interface FlapRules {
  readonly enable: boolean
}

export const EACH: RepeatRules = { mode: 'each', remindMs: 4 * 3_600_000 }
/** Time between two messages about a problem that flaps, where they cannot be edited; the longest one where they can. */
const FLAP_MS = 10 * 60_000

/** Returns the time between two messages of a bundle, where they cannot be edited. */
export const remindMsOf = ({ remindMs }: RepeatRules, { flap }: { readonly flap: number | null }): number =>
  flap === null ? remindMs : FLAP_MS

interface FlapBundle {
  readonly flap: number | null
  readonly since: number
}

/** Returns when the message of a bundle may be edited next, epoch milliseconds. */
export function editAtOf({ flap, since }: FlapBundle, toldAt: number): number {
  const at = nextEditAt(toldAt, since)
  return flap === null ? at : Math.min(at, toldAt + FLAP_MS)
}
