/** Kinds of bundles: of a storm at a destination, of a problem that repeats or flaps, of incidents with equal values. */
export type BundleKind = 'storm' | 'repeats' | 'flapping' | 'group'

/**
 * A message that is revised, and its numbered places, which its revisions tell of. States:
 *
 *     open     takes places
 *     ending   takes none, and owes a message about what is untold, or about its end
 *     closed   all is told
 *     dead     the provider refused a revision for good
 *
 * Times are epoch milliseconds. Only `step` in bundle.ts changes it.
 */
export interface Bundle {
  readonly kind: BundleKind
  readonly state: 'open' | 'ending' | 'closed' | 'dead'
  /** Its age counts from here. */
  readonly since: number
  /** Places given; of these handed to the sender, and confirmed by the provider. Never fall. */
  readonly folded: number
  readonly handed: number
  readonly told: number
  /** Revisions that were told. */
  readonly revision: number
  /** Next look: for a revision if a message is owed, else for the end of a bundle that gets no places; Infinity: none. */
  readonly dueAt: number
  /** Hand-out of the latest revision that was told; before the first, the message that it follows, or the opening. */
  readonly toldAt: number
  /** The latest message about its subject that was posted, and how many of these the bundle posted. */
  readonly postedAt: number
  readonly posts: number
  /** A message has to say that it is over. */
  readonly owesEnd: boolean
  /** The provider, or the backoff, named `dueAt`: nothing makes it due before. */
  readonly retrying: boolean
  /** A post of the next revision may have arrived. */
  readonly mayRepeat: boolean
  /** An urgent alert was placed after the latest hand-out: the next revision is posted, `gapMs` after `urgentAt`. */
  readonly urgent: boolean
  readonly urgentAt: number
  readonly gapMs: number
  /** A person changed what it tells of after the latest hand-out: its message is edited at once, if it can be. */
  readonly changed?: boolean | undefined
  /** The revision that is with the sender. */
  readonly sending?: Sending | undefined
}

export interface Sending {
  readonly way: Way
  readonly through: number
  readonly urgent: boolean
  /** It closes the bundle, unless places come meanwhile. */
  readonly last: boolean
  /** It says that it is over. */
  readonly isEnd: boolean
  readonly changed?: boolean | undefined
  /** Time of the hand-out. */
  readonly at: number
}

export type Way = 'post' | 'edit'

/**
 * Outcome of a revision:
 *
 *     told      the provider took it
 *     pending   it is tried again from `at` on; `mayDuplicate`: it may have arrived
 *     gone      the message to be edited does not exist
 *     dead      the provider refused it for good, or every attempt failed
 */
export type RevisionResult =
  | { readonly state: 'told' }
  | { readonly state: 'pending'; readonly at: number; readonly mayDuplicate: boolean }
  | { readonly state: 'gone' }
  | { readonly state: 'dead' }

/** Facts that the claim of a revision depends on. */
export interface Surroundings {
  /** The message to edit: it stands, may still come, was refused for good; or there is none. */
  readonly message: 'stands' | 'awaited' | 'refused' | 'none'
  /** A silence fits: nothing is sent now. */
  readonly isSilenced: boolean
  /** The digest of an open storm takes its places, or the group that has its message. */
  readonly isTaken: boolean
}

/** How a bundle ends: what is untold is told when it is due, or at once, or by another message, or by a message about the end. */
export type Ending = 'when due' | 'at once' | 'answered' | 'said'

export type BundleEvent =
  | { readonly kind: 'placed'; readonly count: number; readonly urgent: boolean }
  /** A message about the subject was posted beside the bundle; it is the one to edit. */
  | { readonly kind: 'posted' }
  /** The message that it follows was sent: it may be edited. */
  | { readonly kind: 'stands' }
  /** The message that it follows was refused for good: the destination knows nothing. */
  | { readonly kind: 'refused' }
  /** The sender has room. `calmAt`: when a storm is over if no alert comes. */
  | ({ readonly kind: 'claimed'; readonly calmAt?: number } & Surroundings)
  | { readonly kind: 'settled'; readonly result: RevisionResult }
  /** Another bundle took the next untold places. */
  | { readonly kind: 'taken over'; readonly count: number }
  | { readonly kind: 'ends'; readonly how: Ending }
  /** The message that tells of the rest was sent; or it will not be. */
  | { readonly kind: 'answer sent' }
  | { readonly kind: 'answer lost' }
  /** The message that tells of the rest is still to be sent. */
  | { readonly kind: 'answer awaited' }
  /** A person changed what it tells of. */
  | { readonly kind: 'changed' }
  /** The provider took a message after failures. */
  | { readonly kind: 'accepting' }
  /** The clock was set: durations stay. */
  | { readonly kind: 'clock moved'; readonly byMs: number }

export type BundleEffect =
  /** A revision for the sender, which covers the places up to `through`. */
  | ({ readonly kind: 'hand out'; readonly revision: number; readonly mayRepeat: boolean } & Sending)
  /** Another bundle takes the untold places: answer with `taken over`. */
  | { readonly kind: 'hand over' }
  | { readonly kind: 'told'; readonly through: number; readonly revision: number; readonly way: Way }
  /** It is finished; `dead`: its places after `told` are dead. */
  | { readonly kind: 'close'; readonly dead: boolean }
