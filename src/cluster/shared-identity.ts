import type { Found } from './beat.ts'

/** Settings that every replica must have for itself. */
export type Identity = 'name' | 'address'

/**
 * Returns what a replica has in common with another one that runs at the same time. One that ran before it, and whose
 * lease is not over yet, has not beaten since this one started, or the other way round.
 *
 * @param now of the database, when it read the replicas
 */
export function sharedWith(replica: Found, other: Found, now: number): readonly Identity[] {
  const [older, younger] = replica.startedAt <= other.startedAt ? [replica, other] : [other, replica]
  if (replica.id === other.id || now - older.beatAgeMs <= younger.startedAt) return []
  const hasSame = (part: Identity) => replica[part] !== '' && replica[part] === other[part]
  return (['name', 'address'] as const).filter(hasSame)
}
