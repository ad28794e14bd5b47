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
export function createFrameQueue({ reader, progress, clock, unreadable }: FrameQueueDeps) {
  /** Views of the reader's buffer: it reads again when these are applied. */
  let read: readonly StoredFrame[] = []
  /** Monotonic milliseconds; undefined: the files could be read the last time. */
  let blockedUntil: number | undefined
  let oldestCommitAt: number | undefined

  function drop(applied: number): void {
    const next = read.findIndex(({ last }) => last > applied)
    read = next === -1 ? [] : read.slice(next)
  }

  const isBlocked = () => blockedUntil !== undefined && clock.elapsed() < blockedUntil

  function readFrom(number: number): readonly StoredFrame[] {
    try {
      const frames = reader.read(number, progress.committed)
      blockedUntil = undefined
      return frames
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      if (blockedUntil === undefined) unreadable(error)
      blockedUntil = clock.elapsed() + RETRY_MS
      return []
    }
  }

  return {
    /** The journal has announced frames. */
    announced(): void {
      oldestCommitAt ??= clock.now()
    },
    /** Returns the next frames above `applied`: some, but no more than a turn should apply. */
    take(applied: number): readonly StoredFrame[] {
      drop(applied)
      if (read.length === 0 && !isBlocked()) read = readFrom(applied + 1)
      oldestCommitAt = commitTimeOf(read[0]) ?? oldestCommitAt
      return firstPart(read)
    },
    /** Forgets what is applied. */
    applied(number: number): void {
      drop(number)
      oldestCommitAt = number >= progress.committed ? undefined : (commitTimeOf(read[0]) ?? oldestCommitAt)
    },
    /** Returns when `take` may find frames, in monotonic milliseconds, which may be past; undefined: all is applied. */
    dueAt: (applied: number): number | undefined =>
      progress.committed <= applied ? undefined : (blockedUntil ?? clock.elapsed()),
    /** Returns the time about which the oldest frame was committed, epoch milliseconds; undefined: all is applied. */
    oldestCommitAt: (): number | undefined => oldestCommitAt,
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
