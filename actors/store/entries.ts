import type { Payload, Recognized } from '../../src/domain/incident.ts'
import type { StoredFrame } from '../../src/journal/contract.ts'
import type { JournalEntry } from '../../src/store/ports/journal.ts'
import { decodeFrame } from './decode-frame.ts'

/** Returns what is to be applied of frames. */
export function entriesOf(frames: readonly StoredFrame[], recognise: (payload: Payload) => Recognized): JournalEntry[] {
  return frames.flatMap(({ frame, first, last, damage }): JournalEntry[] =>
    damage === undefined
      ? decodeFrame(frame, { first, last }, recognise)
      : [{ kind: 'unreadable', first, last, frame, error: damage }],
  )
}
