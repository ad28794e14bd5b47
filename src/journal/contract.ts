/** A frame of the journal that was asked for. */
export interface StoredFrame {
  /** Whole, with its header; no bytes when the frame is missing. */
  readonly frame: Uint8Array<ArrayBuffer>
  readonly first: number
  readonly last: number
  /** Description of the damage; absent when the bytes are as they were written. */
  readonly damage?: string
}

/**
 * The journal as its thread writes it: frames are durable when `append` returns. Synchronous; one writer for a
 * directory. States: open; failed, after a write or a sync that the disk refused: `append` opens the journal anew first.
 */
export interface Journal {
  /**
   * Writes frames that are sealed by it: numbered from `nextNumber` on, in order, as one group with one fdatasync. Throws
   * `storage_full` or `storage_down`; then none of the group is committed, and the frames may be appended again. Throws
   * KeysTaken where replicas share the journal.
   */
  append(frames: readonly Uint8Array<ArrayBuffer>[]): void
  /** Number of the next incident. */
  readonly nextNumber: number
  /** No incident above it is in a frame with idempotency keys; 0: none at all. */
  readonly keyed: number
  /** Allows segments whose incidents are all up to `number` to be used again, and prepares the next one when idle. */
  release(number: number): void
  /** The frame that holds the incident; undefined when it is not in the journal. */
  find(number: number): StoredFrame | undefined
  /** Proves that the journal takes frames. Throws `storage_full`, `storage_down`. */
  check(): void
  /** Zeros while it is failed. Bytes of all segment files, and of those that hold unreleased frames. O(1). */
  readonly size: { readonly bytes: number; readonly usedBytes: number; readonly segments: number }
  close(): void
}

/** Reads the segment files of a journal that another thread writes. Synchronous. */
export interface JournalReader {
  /**
   * Returns some frames from the one that holds `number` on, in order and without gaps; none when `committed` is below
   * it. Damaged and missing frames are returned as such. They are views of memory that the next call uses again.
   * Throws `storage_down` when the files cannot be read.
   */
  read(number: number, committed: number): readonly StoredFrame[]
  close(): void
}
