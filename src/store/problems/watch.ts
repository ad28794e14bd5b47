/** Follows what problems do without a new incident. */
export interface ProblemWatch {
  /** A firing problem was ended by a person or by quiet, or deleted. */
  ended(fingerprint: string): void
  /** Older incidents were added. */
  unknown(): void
}
