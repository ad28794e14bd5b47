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

export interface ProblemCounts {
  /** Number of the last incident that its problem has in memory. */
  added: number
  /** Number of the last incident that its problem has on disk. */
  through: number
  /** When the oldest change was made that is not written, epoch milliseconds. */
  since: number
  walks: Walks | undefined
  stored: number
  firing: number
  /** Rows of `openings`; 0 while no history is kept. */
  openings: number
  /** Resolutions that have incidents left to resolve. */
  pairings: number
  /** Before this time no problem ends by quiet, epoch milliseconds; Infinity when none fires. */
  quietAt: number
  /** Problems that flap, and when the first of them may cease to, epoch milliseconds; Infinity: none flaps. */
  flapping: number
  flapsDueAt: number
}

export const NO_PROBLEMS: Readonly<ProblemCounts> = {
  ...{ added: 0, through: 0, since: 0, walks: undefined },
  ...{ stored: 0, firing: 0, openings: 0, pairings: 0, quietAt: Infinity, flapping: 0, flapsDueAt: Infinity },
}
