import type { CommitResult } from '../../src/domain/commit.ts'
import type { PackedSubmissions } from '../../src/store/journal/codec.ts'
import type { JournalPort } from '../../src/store/ports/journal.ts'

type Packs = readonly Pick<PackedSubmissions, 'submissions'>[]

/**
 * Appends all packs; returns results parallel to their submissions, or undefined when every submission is created.
 * Inside `write`.
 */
export function appendAll(
  { append }: Pick<JournalPort, 'append'>,
  packs: readonly PackedSubmissions[],
): readonly CommitResult[] | undefined {
  const results = packs.map((packed) => append(packed))
  if (results.every((each) => each === undefined)) return undefined
  return packs.flatMap((packed, at) => results[at] ?? sameResult([packed], { kind: 'created' }))
}

/** Repeats `result` for every submission of the packs. */
export function sameResult(packs: Packs, result: CommitResult): CommitResult[] {
  return packs.flatMap(({ submissions }) => Array.from({ length: submissions }, () => result))
}
