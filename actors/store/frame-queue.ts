import { CodedError } from '../../src/domain/errors.ts'
import { readFrameHeader } from '../../src/domain/frame.ts'
import type { JournalReader, StoredFrame } from '../../src/journal/contract.ts'
import type { Progress } from '../../src/journal/progress.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Entries } from '../messages/journal-storage.ts'

export interface FrameQueueDeps {
  readonly reader: Pick<JournalReader, 'read'>
  readonly progress: Pick<Progress, 'committed'>
  readonly clock: Pick<Clock, 'elapsed'>
  /** Called once when the files cannot be read. They are tried again every 500 ms. */
  unreadable(error: CodedError): void
}

interface Held extends StoredFrame {
  /** Freed when this frame, the last one of its message, is applied. */
  readonly slot: Slot | undefined
}

/** Bounds of one `take`, as far as they are in whole frames: a few milliseconds of work. */
const MAX_INCIDENTS = 256
const MAX_BYTES = 256 * 1024
const MAX_READ_BYTES = 1024 * 1024
const RETRY_MS = 500

/**
 * Frames that are committed and not applied, in order. Those that were passed on are held here; all others are read from
 * the files, some at a time. States:
 *
 *     following   every committed frame is held or on its way; leaves to behind with `more`, or when the next held frame
 *                 does not follow on the last applied one
 *     behind      frames are only in the files; leaves to following when all that is committed is applied
 *     blocked     the files cannot be read; leaves to behind after 500 ms
 */
export class FrameQueue {
  readonly #deps: FrameQueueDeps
  #held: Held[] = []
  /** A new queue does not know what was passed on before. */
  #state: 'following' | 'behind' | 'blocked' = 'behind'
  #blockedUntil = 0
  #lastCommitAt: number | undefined

  constructor(deps: FrameQueueDeps) {
    this.#deps = deps
  }

  /** Takes over the slot of the message. */
  add({ frames }: Entries, slot: Slot): void {
    frames.forEach((frame, at) => {
      const { first = 0, incidents = 0 } = readFrameHeader(frame) ?? {}
      this.#held.push({ frame, first, last: first + incidents - 1, slot: at === frames.length - 1 ? slot : undefined })
    })
    if (frames.length === 0) slot.free()
  }

  /** Frames were committed that were not passed on. */
  more(): void {
    if (this.#state === 'following') this.#state = 'behind'
  }

  /**
   * Returns the next frames above `applied`: some, but no more than a turn should apply. Frames that may be skipped cost
   * a turn nothing.
   */
  take(applied: number, mayBeSkipped: (last: number) => boolean): readonly StoredFrame[] {
    this.#drop(applied)
    const [next] = this.#held
    if (next === undefined || next.first > applied + 1) {
      this.#held.unshift(...this.#read(applied + 1, next))
      if (this.#state === 'blocked') return []
    }
    return firstPart(this.#held, mayBeSkipped)
  }

  /** Frees the slots of what is applied. */
  applied(number: number): void {
    this.#drop(number)
    if (this.#state === 'behind' && number >= this.#deps.progress.committed) this.#state = 'following'
  }

  /** Returns when `take` finds frames, in monotonic milliseconds, which may be past; undefined: when more mail comes. */
  dueAt(applied: number): number | undefined {
    const waiting = this.#held.length > 0 || (this.#state !== 'following' && this.#deps.progress.committed > applied)
    if (!waiting) return undefined
    return this.#state === 'blocked' ? this.#blockedUntil : this.#deps.clock.elapsed()
  }

  /** Commit time of the next frame, or, while the next ones are only in the files, of the one before it. */
  get oldestCommitAt(): number | undefined {
    const [next] = this.#held
    if (next !== undefined) return readFrameHeader(next.frame)?.committedAt
    return this.#state === 'following' ? undefined : this.#lastCommitAt
  }

  /** Frees all slots: a later queue reads the frames from the files. */
  close(): void {
    this.#drop(Infinity)
  }

  #drop(applied: number): void {
    let applies = 0
    for (; applies < this.#held.length; applies++) {
      const held = this.#held[applies] as Held
      if (held.last > applied) break
      held.slot?.free()
    }
    const last = this.#held[applies - 1]
    if (last !== undefined) this.#lastCommitAt = readFrameHeader(last.frame)?.committedAt
    if (applies > 0) this.#held = this.#held.slice(applies)
  }

  /** Reads frames that were not passed on before `next`. None: they are on their way, or missing. */
  #read(first: number, next: Held | undefined): Held[] {
    const { reader, progress, clock } = this.#deps
    if (next !== undefined) this.more()
    const last = next === undefined ? progress.committed : next.first - 1
    const isBlocked = this.#state === 'blocked' && clock.elapsed() < this.#blockedUntil
    if (this.#state === 'following' || isBlocked || last < first) return []
    try {
      const frames = reader.read(first, last, MAX_READ_BYTES)
      this.#state = frames.length === 0 && next === undefined ? 'following' : 'behind'
      return frames.map((frame) => ({ ...frame, slot: undefined }))
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      this.#block(error)
      return []
    }
  }

  #block(error: CodedError): void {
    if (this.#state !== 'blocked') this.#deps.unreadable(error)
    this.#state = 'blocked'
    this.#blockedUntil = this.#deps.clock.elapsed() + RETRY_MS
  }
}

/** Frames that follow on each other, up to the bounds of a turn. What lies between others is in the files. */
function firstPart(held: readonly Held[], mayBeSkipped: (last: number) => boolean): readonly StoredFrame[] {
  let [incidents, bytes] = [0, 0]
  const end = held.findIndex(({ first, last, frame }, at) => {
    if (!mayBeSkipped(last)) {
      incidents += last - first + 1
      bytes += frame.length
    }
    const before = held[at - 1]
    return before && (first !== before.last + 1 || incidents > MAX_INCIDENTS || bytes > MAX_BYTES)
  })
  return end === -1 ? held : held.slice(0, end)
}
