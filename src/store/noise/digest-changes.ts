import type { ChannelName } from '../../domain/delivery.ts'
import type { Counts, Lane } from '../engine/counts.ts'
import type { DigestChange } from '../ports/noise.ts'

/** Records a change of a digest of the destination for the end of the turn. Inside `write`. */
export function recordChange(
  counts: Pick<Counts, 'digestChanges'>,
  { destination, target }: Lane,
  change: Omit<DigestChange, 'channel' | 'target'>,
): void {
  counts.digestChanges = [...counts.digestChanges, { channel: destination as ChannelName, target, ...change }]
}
