import { CodedError } from '../../src/domain/errors.ts'
import { readFrameHeader } from '../../src/domain/frame.ts'
import type { JournalReader, StoredFrame } from '../../src/journal/contract.ts'
import type { Progress } from '../../src/journal/progress.ts'
import type { Clock } from '../../src/kernel/clock.ts'

export interface FrameQueueDeps {
  readonly reader: Pick<JournalReader, 'read'>
  readonly progress: Pick<Progress, 'committed'>
  readonly clock: Pick<Clock, 'elapsed' | 'now'>
  /** Called once when the files cannot be read. They are tried again every 500 ms. */
  unreadable(error: CodedError): void
}

/** Bounds of one `take`, as far as they are in whole frames: a few milliseconds of work. */
const MAX_INCIDENTS = 256
const MAX_BYTES = 256 * 1024
const RETRY_MS = 500

/** Frames that are committed and not applied, in order. They are read from the files, some at a time. */
export class FrameQueue {
  readonly #deps: FrameQueueDeps
  /** Views of the reader's buffer: it reads again when these are applied. */
  #read: readonly StoredFrame[] = []
  /** Monotonic milliseconds; undefined: the files could be read the last time. */
  #blockedUntil: number | undefined
  #oldestCommitAt: number | undefined

  constructor(deps: FrameQueueDeps) {
    this.#deps = deps
  }

  /** The journal has announced frames. */
  announced(): void {
    this.#oldestCommitAt ??= this.#deps.clock.now()
  }

  /** Returns the next frames above `applied`: some, but no more than a turn should apply. */
  take(applied: number): readonly StoredFrame[] {
    this.#drop(applied)
    if (this.#read.length === 0 && !this.#isBlocked()) this.#read = this.#readFrom(applied + 1)
    this.#oldestCommitAt = commitTimeOf(this.#read[0]) ?? this.#oldestCommitAt
    return firstPart(this.#read)
  }

  /** Forgets what is applied. */
  applied(number: number): void {
    this.#drop(number)
    if (number >= this.#deps.progress.committed) this.#oldestCommitAt = undefined
    else this.#oldestCommitAt = commitTimeOf(this.#read[0]) ?? this.#oldestCommitAt
  }

  /** Returns when `take` may find frames, in monotonic milliseconds, which may be past; undefined: all is applied. */
  dueAt(applied: number): number | undefined {
    if (this.#deps.progress.committed <= applied) return undefined
    return this.#blockedUntil ?? this.#deps.clock.elapsed()
  }

  /** Time about which the oldest frame was committed, epoch milliseconds; undefined: all is applied. */
  get oldestCommitAt(): number | undefined {
    return this.#oldestCommitAt
  }

  #drop(applied: number): void {
    const next = this.#read.findIndex(({ last }) => last > applied)
    this.#read = next === -1 ? [] : this.#read.slice(next)
  }

  #isBlocked(): boolean {
    return this.#blockedUntil !== undefined && this.#deps.clock.elapsed() < this.#blockedUntil
  }

  #readFrom(number: number): readonly StoredFrame[] {
    const { reader, progress, clock, unreadable } = this.#deps
    try {
      const frames = reader.read(number, progress.committed)
      this.#blockedUntil = undefined
      return frames
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      if (this.#blockedUntil === undefined) unreadable(error)
      this.#blockedUntil = clock.elapsed() + RETRY_MS
      return []
    }
  }
}

const commitTimeOf = (stored: StoredFrame | undefined) => stored && readFrameHeader(stored.frame)?.committedAt

/** The first frames, up to the bounds of a turn; at least one. */
function firstPart(frames: readonly StoredFrame[]): readonly StoredFrame[] {
  let [incidents, bytes] = [0, 0]
  const end = frames.findIndex(({ first, last, frame }, at) => {
    incidents += last - first + 1
    bytes += frame.length
    return at > 0 && (incidents > MAX_INCIDENTS || bytes > MAX_BYTES)
  })
  return end === -1 ? frames : frames.slice(0, end)
}
