export interface Resolution {
  readonly id: string
  /** Commit, epoch milliseconds. Its pages may have resolved incidents since. */
  readonly committedAt: number
}

/** A resolution on its way along the incidents of a problem, the latest first. */
export interface Walk {
  /** Number of the incident that is next; null: there is none. */
  readonly next: number | null
  /** Epoch milliseconds. */
  readonly at: number
  /** The resolved incident; null: a person resolves them. */
  readonly by: Resolution | null
  /** It resolves this incident alone, which came after it. */
  readonly isAlone?: boolean
}

/** Resolutions that wait to be written, the last one first. */
interface Walks {
  readonly walk: Walk
  readonly before: Walks | undefined
  readonly size: number
}

export const NO_PROBLEMS = {
  /** Number of the last incident that its problem has in memory. */
  added: 0,
  /** Number of the last incident that its problem has on disk. */
  through: 0,
  /** When the oldest change was made that is not written, epoch milliseconds. */
  since: 0,
  walks: undefined as Walks | undefined,
  stored: 0,
  firing: 0,
  /** Rows of `openings`; 0 while no history is kept. */
  openings: 0,
  /** Openings written since the store was opened. */
  openingsWritten: 0,
  /** Numbers of openings deleted since memory looked; undefined: too many. */
  openingsDeleted: undefined as readonly number[] | undefined,
  /** Resolutions that have incidents left to resolve. */
  pairings: 0,
  /** Before this time no problem ends by quiet, epoch milliseconds; Infinity when none fires. */
  quietAt: Infinity,
  /** Problems that flap, and when the first of them may cease to, epoch milliseconds; Infinity: none flaps. */
  flapping: 0,
  flapsDueAt: Infinity,
}
