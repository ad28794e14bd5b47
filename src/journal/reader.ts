import type { JournalReader, StoredFrame } from './contract.ts'
import { withDiskErrors } from './errors.ts'
import { type Files, nodeFiles } from './files.ts'
import { type FramePlace, readStored, type SegmentFile } from './frame-place.ts'
import { recover } from './recovery.ts'
import { firstFrame, segmentNumbers, walkSegment, withSegment } from './scan.ts'

/** Returns a reader of the segment files in the directory. It keeps no file open between two reads. */
export function openJournalReader(directory: string, files: Files = nodeFiles): JournalReader {
  return new SegmentReader(directory, files)
}

/** Place of a frame from which others can be found: the first of a segment, or the one behind the last read. */
type Start = Pick<FramePlace, 'segment' | 'offset' | 'life' | 'first'>

class SegmentReader implements JournalReader {
  readonly #directory: string
  readonly #files: Files
  #cursor: Start | undefined

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

  /** Finds the frame that holds the number, or the next one. The search of all files is only for damaged ones. */
  #find(number: number, heads: readonly FramePlace[]): FramePlace | undefined {
    const start = startFor(number, this.#cursor === undefined ? heads : [this.#cursor, ...heads])
    return (start && this.#walk(start, number)) ?? this.#recovered(number)
  }

  /** Returns the frame that holds the number, if the frames from the start on lead to it without gaps. */
  #walk(start: Start, number: number): FramePlace | undefined {
    return this.#inSegment(start.segment, (segment) => {
      for (const place of walkSegment(this.#files, segment, start.offset)) {
        if (place.life !== start.life || place.first < start.first || place.first > number) return undefined
        if (place.last >= number) return place
      }
      return undefined
    })
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

const cursorBehind = ({ segment, offset, bytes, life, last }: FramePlace): Start => ({
  segment,
  offset: offset + bytes,
  life,
  first: last + 1,
})

/**
 * Returns the start that the frame with the number lies behind, in the same segment: a later life has given the numbers
 * from its first one on again, and a segment goes up to where the next one begins.
 */
function startFor(number: number, starts: readonly Start[]): Start | undefined {
  const before = starts.filter(({ first }) => first <= number)
  const life = Math.max(...before.map((start) => start.life))
  const ofLife = before.filter((start) => start.life === life)
  return ofLife.reduce<Start | undefined>((best, each) => (best && best.first > each.first ? best : each), undefined)
}
