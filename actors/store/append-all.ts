import type { CommitResult } from '../../src/domain/commit.ts'
import type { Store } from '../../src/store/contract.ts'
import type { PackedSubmissions } from '../../src/store/journal/codec.ts'

type Packs = readonly Pick<PackedSubmissions, 'submissions'>[]

/** Parallel to the submissions; undefined: all are created. */
export function admitAll(
  { admit }: Pick<Store, 'admit'>,
  packs: readonly PackedSubmissions[],
): readonly CommitResult[] | undefined {
  const results = packs.map((packed) => admit(packed))
  if (results.every((each) => each === undefined)) return undefined
  return packs.flatMap((packed, at) => results[at] ?? sameOf([packed], { kind: 'created' }))
}

/** The same for every submission. */
export function sameOf(packs: Packs, result: CommitResult): CommitResult[] {
  return packs.flatMap(({ submissions }) => Array.from({ length: submissions }, () => result))
}
