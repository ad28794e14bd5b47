import { FRAME_HEADER_BYTES } from '../domain/frame.ts'
import type { JournalReader, StoredFrame } from './contract.ts'
import { withDiskErrors } from './errors.ts'
import { type Files, nodeFiles } from './files.ts'
import { type FramePlace, placeOf, readFrame, readStored, type SegmentFile } from './frame-place.ts'
import { recover } from './recovery.ts'
import { firstFrame, segmentNumbers, withSegment } from './scan.ts'

/** Returns a reader of the segment files in the directory. It keeps no file open between two reads. */
export function openJournalReader(directory: string, files: Files = nodeFiles): JournalReader {
  return new SegmentReader(directory, files)
}

/** Where the next frame is expected. */
interface Cursor {
  readonly segment: number
  readonly offset: number
  readonly life: number
  /** Number of its first incident. */
  readonly number: number
}

class SegmentReader implements JournalReader {
  readonly #directory: string
  readonly #files: Files
  #cursor: Cursor | undefined

  constructor(directory: string, files: Files) {
    this.#directory = directory
    this.#files = files
  }

  read(number: number, committed: number, maxBytes: number): readonly StoredFrame[] {
    return withDiskErrors(this.#directory, () => {
      const heads = number > committed ? [] : this.#heads()
      const frames: StoredFrame[] = []
      let bytes = 0
      let next = number
      while (next <= committed && bytes < maxBytes) {
        const stored = this.#readAt(next, heads)
        if (stored === undefined || stored.first > committed) break
        frames.push(stored)
        bytes += stored.frame.length
        next = stored.last + 1
      }
      return frames
    })
  }

  /** Reads the frame that holds the number, or the next one. */
  #readAt(number: number, heads: readonly FramePlace[]): StoredFrame | undefined {
    const place = this.#find(number, heads)
    const stored = place && this.#stored(place)
    if (stored?.damage === undefined) return stored
    // Its header is not to be trusted: the frames around it say which numbers it has.
    const recovered = this.#recovered(number)
    return recovered && this.#stored(recovered)
  }

  /** The first frame of each segment. */
  #heads(): FramePlace[] {
    return segmentNumbers(this.#files, this.#directory).flatMap(
      (number) => this.#inSegment(number, (segment) => firstFrame(this.#files, segment)) ?? [],
    )
  }

  /** Finds the frame that holds the number, or the next one. */
  #find(number: number, heads: readonly FramePlace[]): FramePlace | undefined {
    const { segment } = this.#cursor ?? {}
    const here = segment === undefined ? undefined : this.#inSegment(segment, (at) => this.#atCursor(at, number, heads))
    return here ?? firstOf(heads, number) ?? this.#recovered(number)
  }

  /** Returns the frame at the cursor if it begins with the number and no later life has given the number again. */
  #atCursor(segment: SegmentFile, number: number, heads: readonly FramePlace[]): FramePlace | undefined {
    const cursor = this.#cursor
    if (cursor === undefined || cursor.number !== number) return undefined
    if (heads.some(({ life, first }) => life > cursor.life && first <= number)) return undefined
    const header = readFrame(this.#files, segment.file, { offset: cursor.offset, bytes: FRAME_HEADER_BYTES })
    const place = placeOf(header, segment, cursor.offset)
    return place?.first === number && place.life === cursor.life ? place : undefined
  }

  #recovered(number: number): FramePlace | undefined {
    return recover(this.#files, this.#directory, { released: number - 1, committed: Infinity }).chain[0]
  }

  #stored(place: FramePlace): StoredFrame | undefined {
    return this.#inSegment(place.segment, ({ file }) => {
      this.#cursor = cursorBehind(place)
      return readStored(this.#files, file, place)
    })
  }

  #inSegment<T>(number: number, work: (segment: SegmentFile) => T): T | undefined {
    return withSegment(this.#files, this.#directory, number, work)
  }

  close(): void {
    this.#cursor = undefined
  }
}

const cursorBehind = ({ segment, offset, bytes, life, last }: FramePlace): Cursor => ({
  segment,
  offset: offset + bytes,
  life,
  number: last + 1,
})

/** Returns the frame of the latest life that begins a segment with the number. */
const firstOf = (heads: readonly FramePlace[], number: number): FramePlace | undefined =>
  heads.filter(({ first }) => first === number).sort((one, other) => other.life - one.life)[0]
