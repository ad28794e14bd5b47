import type { Replica, Row } from './contract.ts'

/** A replica as the database shows it. */
export interface Found extends Omit<Replica, 'leads' | 'self' | 'lastBeatMs' | 'clockOffsetMs' | 'shares'> {
  readonly id: number
  readonly beatAgeMs: number
  readonly clockOffsetMs: number | null
}

/** The answer to a beat. */
export interface Beat {
  /** Epoch milliseconds. */
  readonly now: number
  readonly alive: boolean
  readonly timeline: string
  readonly synchronous: boolean
  readonly holder: number | undefined
  readonly fence: number
  readonly replicas: readonly Found[]
}

/** Reads a row of `BEAT`. */
export const readBeat = (row: Row): Beat => ({
  now: Number(row.now),
  alive: Number(row.alive) > 0,
  timeline: String(row.timeline),
  synchronous: row.synchronous === true,
  holder: row.holder === null ? undefined : Number(row.holder),
  fence: Number(row.fence),
  replicas: (row.replicas ?? []) as readonly Found[],
})

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
