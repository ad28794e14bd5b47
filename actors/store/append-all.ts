import type { CommitResult } from '../../src/domain/commit.ts'
import type { Store } from '../../src/store/contract.ts'
import type { PackedSubmissions } from '../../src/store/journal/codec.ts'

type Packs = readonly Pick<PackedSubmissions, 'submissions'>[]

/** Parallel to the submissions; undefined: all are created. */
export function appendAll(
  { append }: Pick<Store, 'append'>,
  packs: readonly PackedSubmissions[],
): readonly CommitResult[] | undefined {
  const results = packs.map((packed) => append(packed))
  if (results.every((each) => each === undefined)) return undefined
  return packs.flatMap((packed, at) => results[at] ?? sameResult([packed], { kind: 'created' }))
}

/** The same for every submission. */
export function sameResult(packs: Packs, result: CommitResult): CommitResult[] {
  return packs.flatMap(({ submissions }) => Array.from({ length: submissions }, () => result))
}
