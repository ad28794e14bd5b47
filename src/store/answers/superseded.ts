import type { Problem } from '../../policy/problem.ts'

/** The message is of a time before the problem began to fire, and before it began to flap. */
export const isSuperseded = (
  { opening, flap }: Pick<Problem, 'opening' | 'flap'>,
  { seq, committed_at }: { readonly seq: number; readonly committed_at: number },
): boolean => seq < opening && (flap === null || committed_at < flap.since)
