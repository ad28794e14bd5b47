import type { BundleKind } from './bundle-state.ts'
import type { StormParameters } from './storm-parameters.ts'

/** Times between the revisions of a bundle, all derived from its kind and its destination. Milliseconds. */
export interface Pace {
  /** The channel can edit a message that it sent. */
  readonly edits: boolean
  /** From the latest message that told to the next revision. `revision`: those told; `ageMs`: of the bundle. */
  intervalMs(revision: number, ageMs: number): number
  /** From the latest post to the next one, where no message can be edited; 0: as above. */
  readonly repostMs: number
  /** An open bundle of which all is told ends after this time without a place; Infinity: it waits for its end. */
  readonly idleMs: number
  /** An older post is far up in the chat: the next revision is posted below it. */
  readonly staleMs: number
  /** The end is an edit of the only post, if that is not older. */
  readonly freshMs: number
  /** From one urgent post to the next; it doubles up to `maxGapMs` while urgent alerts are placed. */
  readonly urgentGapMs: number
  readonly maxGapMs: number
  /** Until the gap is over, urgent alerts are edited in; then they are posted. */
  readonly editsUrgent: boolean
  /** Untold places that make a revision due at once. */
  readonly maxUntold: number
  /** A last message sums it up, although all is told. */
  readonly hasSummary: boolean
}

const MINUTE_MS = 60_000
/** Time between two edits of a message; in the long run a share of the bundle's age. */
const EDIT_MS = MINUTE_MS
const EDITS_OF_AN_AGE = 20
/** Time between two messages about a problem that flaps, where they cannot be edited; the longest one where they can. */
const FLAP_MS = 10 * MINUTE_MS
/** A problem without an incident for this time is over. */
const IDLE_MS = 25 * 60 * MINUTE_MS

/** A post of a storm that is older is far up in the chat; its end is an edit of one that is not older than the second one. */
const STALE_MS = 10 * MINUTE_MS
const FRESH_MS = 5 * MINUTE_MS

interface PaceFacts {
  readonly edits: boolean
  /** Where messages cannot be edited, the repeats of this time are told by one message. */
  readonly remindMs: number
  /** Undefined: it has no storms. */
  readonly storm: StormParameters | undefined
  /** Messages a second that the destination takes; absent: 1. */
  readonly perSecond?: number
  /** Time between two messages of a group where they cannot be edited, and the longest one between two that ring. */
  readonly intervalMs?: number
}

/** A burst of alerts makes one revision of their group; the second one where each revision is a message. */
const BURST_MS = 2_000
const POSTED_BURST_MS = 30_000
const GROUP_EDIT_MS = 10_000
const GROUP_URGENT_MS = 3_000
/** A group without an alert for this time is over. */
const GROUP_IDLE_MS = 24 * 60 * MINUTE_MS

const ofAge = (ageMs: number) => Math.max(EDIT_MS, Math.ceil(ageMs / EDITS_OF_AN_AGE))
const PLAIN = {
  ...{ staleMs: Infinity, freshMs: 0, urgentGapMs: 0, maxGapMs: 0 },
  ...{ editsUrgent: false, maxUntold: Infinity, hasSummary: false },
} as const

/** Returns the pace of a kind of bundles at a destination. */
export const paceOf = (kind: BundleKind, facts: PaceFacts): Pace => PACES[kind](facts)

const PACES: { readonly [kind in BundleKind]: (facts: PaceFacts) => Pace } = {
  storm: ({ edits, storm }) =>
    storm === undefined
      ? { ...PLAIN, edits, intervalMs: () => 0, repostMs: 0, idleMs: Infinity, hasSummary: true }
      : stormPace(storm),
  repeats: ({ edits, remindMs }) => ({
    ...{ ...PLAIN, edits, intervalMs: (_, ageMs) => ofAge(ageMs), repostMs: remindMs, idleMs: IDLE_MS },
  }),
  flapping: ({ edits }) => ({
    ...{ ...PLAIN, edits, repostMs: FLAP_MS, idleMs: Infinity },
    intervalMs: (revision, ageMs) => (revision === 0 ? 0 : Math.min(FLAP_MS, ofAge(ageMs))),
  }),
  group: groupPace,
}

function groupPace({ edits, perSecond = 1, intervalMs = 0 }: PaceFacts): Pace {
  const messages = (count: number, leastMs: number) => Math.max(leastMs, Math.ceil((count * 1_000) / perSecond))
  const first = messages(1, edits ? BURST_MS : POSTED_BURST_MS)
  const later = (ageMs: number) => Math.max(messages(5, GROUP_EDIT_MS), Math.ceil(ageMs / EDITS_OF_AN_AGE))
  return {
    ...{ ...PLAIN, edits, repostMs: 0, idleMs: GROUP_IDLE_MS, maxGapMs: intervalMs, editsUrgent: edits },
    urgentGapMs: Math.min(intervalMs, messages(2, GROUP_URGENT_MS)),
    intervalMs: (revision, ageMs) => (revision === 0 ? first : edits ? later(ageMs) : intervalMs),
  }
}

function stormPace(storm: StormParameters): Pace {
  const { edits, urgentGapMs, maxUntold, firstRevisionMs, minIntervalMs, maxIntervalMs } = storm
  return {
    ...{ edits, repostMs: 0, idleMs: Infinity, staleMs: STALE_MS, freshMs: FRESH_MS, urgentGapMs, maxUntold },
    maxGapMs: Math.max(maxIntervalMs, urgentGapMs),
    ...{ editsUrgent: false, hasSummary: true },
    intervalMs: (revision) =>
      revision === 0 ? firstRevisionMs : Math.min(maxIntervalMs, minIntervalMs * 2 ** Math.min(revision - 1, 30)),
  }
}
