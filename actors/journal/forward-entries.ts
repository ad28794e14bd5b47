import type { Ref } from '../../src/kernel/ref.ts'
import { type Entries, MAX_ENTRIES_BYTES, type MoreEntries } from '../messages/journal-storage.ts'

type Frame = Uint8Array<ArrayBuffer>

/**
 * Passes frames that are on disk on to storage.
 *
 * - passing: each frame is passed on; leaves to behind when there is no room, or a frame is too large
 * - behind: storage reads the frames from the files; leaves to passing, and says so, when storage has applied all that
 *   it was passed: with room for one message alone, each next frame would begin another gap
 */
export class EntriesForwarder {
  readonly #storage: Ref<Entries | MoreEntries>
  #state: 'passing' | 'behind' = 'passing'

  constructor(storage: Ref<Entries | MoreEntries>) {
    this.#storage = storage
  }

  /** Transfers the buffers of the frames that it passes on. */
  pass(frames: readonly Frame[]): void {
    for (const part of messagesOf(frames)) {
      if (this.#state === 'behind') return
      const fits = part.reduce((sum, { length }) => sum + length, 0) <= MAX_ENTRIES_BYTES
      const buffers = part.map(({ buffer }) => buffer)
      if (!fits || !this.#storage.tell({ kind: 'entries', frames: part }, buffers)) this.announceMore()
    }
  }

  /** Tells storage, as soon as it has applied what it was passed, that the files hold frames that were not passed on. */
  announceMore(): void {
    if (this.#state === 'behind') return
    this.#state = 'behind'
    this.#storage.whenIdle(() => this.#resume())
  }

  #resume(): void {
    if (!this.#storage.tell({ kind: 'more' })) return this.#storage.whenRoom(() => this.#resume())
    this.#state = 'passing'
  }
}

/** Divides frames into messages of at most MAX_ENTRIES_BYTES; a larger frame is alone. */
function messagesOf(frames: readonly Frame[]): Frame[][] {
  const parts: Frame[][] = []
  let bytes = Infinity
  for (const frame of frames) {
    bytes += frame.length
    const last = parts.at(-1)
    if (last !== undefined && bytes <= MAX_ENTRIES_BYTES) last.push(frame)
    else {
      parts.push([frame])
      bytes = frame.length
    }
  }
  return parts
}
