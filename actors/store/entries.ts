import { readFrameHeader } from '../../src/domain/frame.ts'
import type { Payload, Recognized } from '../../src/domain/incident.ts'
import type { StoredFrame } from '../../src/journal/contract.ts'
import type { JournalEntry } from '../../src/store/ports/journal.ts'
import { decodeFrame } from './decode-frame.ts'

interface EntryRules {
  recognise(payload: Payload): Recognized
  /** True when no one will ever see incidents up to `last`. */
  mayBeSkipped(last: number): boolean
}

/** Returns what is to be applied of frames. A frame that may be skipped is not read, unless a key must be kept of it. */
export function entriesOf(frames: readonly StoredFrame[], { recognise, mayBeSkipped }: EntryRules): JournalEntry[] {
  return frames.flatMap(({ frame, first, last, damage }): JournalEntry[] => {
    if (damage !== undefined) return [{ kind: 'unreadable', first, last, frame, error: damage }]
    if (mayBeSkipped(last) && readFrameHeader(frame)?.keyed === false) return [{ kind: 'skipped', first, last }]
    return decodeFrame(frame, { first, last }, recognise)
  })
}
