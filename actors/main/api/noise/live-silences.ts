import type { FatigueReport } from '../../../../src/api/noise/report.ts'
import type { SilenceRecord } from '../../../../src/api/noise/silence.ts'
import type { Ask } from '../../../messages/query.ts'
import type { StorageQueries } from '../../../messages/storage-queries.ts'

const PAGE = 500
const UNUSED_MS = 30 * 24 * 3_600_000

/** Returns the silences that have not ended; at most 1,000 are live. */
async function liveSilences(askStorage: Ask<StorageQueries>): Promise<SilenceRecord[]> {
  const found: SilenceRecord[] = []
  for (const state of ['active', 'scheduled'] as const) {
    let cursor: string | null | undefined
    do {
      const filter = { state, limit: PAGE, ...(cursor && { cursor }) }
      const { silences, next_cursor } = await askStorage({ kind: 'silences', filter })
      found.push(...silences)
      cursor = next_cursor
    } while (cursor !== null)
  }
  return found
}

/** Returns the live silences that held nothing for 30 days, the longest unused first. `now`: epoch milliseconds. */
export async function unusedSilences(
  askStorage: Ask<StorageQueries>,
  now: number,
): Promise<FatigueReport['unused_silences']> {
  return (await liveSilences(askStorage))
    .map(({ id, name, text, owner, created_at, last_held_at }) => ({ id, name, text, owner, created_at, last_held_at }))
    .filter((silence) => now - usedAt(silence) >= UNUSED_MS)
    .toSorted((a, b) => usedAt(a) - usedAt(b))
}

const usedAt = ({ last_held_at, created_at }: Pick<SilenceRecord, 'last_held_at' | 'created_at'>) =>
  Date.parse(last_held_at ?? created_at)
