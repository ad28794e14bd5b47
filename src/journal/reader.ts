import { FRAME_HEADER_BYTES } from '../domain/frame.ts'
import type { JournalReader, StoredFrame } from './contract.ts'
import { withDiskErrors } from './errors.ts'
import { type Files, nodeFiles, readWhole } from './files.ts'
import { type FramePlace, isIntact, placeOf, readFrame, readStored, type SegmentFile } from './frame-place.ts'
import { recover } from './recovery.ts'
import { firstFrame, segmentNumbers, walkSegment, withSegment } from './scan.ts'

/** Returns a reader of the segment files in the directory. It keeps no file open between two reads. */
export function openJournalReader(directory: string, files: Files = nodeFiles): JournalReader {
  return new SegmentReader(directory, files)
}

/** Place of a frame from which others can be found: the first of a segment, or the one behind the last read. */
type Start = Pick<FramePlace, 'segment' | 'offset' | 'life' | 'first'>

/** Read at once when little is committed ahead, and when much is. */
const LITTLE_BYTES = 64 * 1024
const MUCH_BYTES = 1024 * 1024
/** Incidents. */
const MUCH = 64

class SegmentReader implements JournalReader {
  readonly #directory: string
  readonly #files: Files
  readonly #buffer = new Uint8Array(MUCH_BYTES)
  #cursor: Start | undefined

  constructor(directory: string, files: Files) {
    this.#directory = directory
    this.#files = files
  }

  read(number: number, committed: number): readonly StoredFrame[] {
    if (number > committed) return []
    return withDiskErrors(this.#directory, () => {
      const ahead = this.#readAhead(number, committed)
      if (ahead.length > 0) return ahead
      const stored = this.#readAt(number, committed)
      if (stored === undefined || stored.first > number)
        return [missing(number, Math.min(committed, (stored?.first ?? Infinity) - 1))]
      return [stored, ...this.#readAhead(stored.last + 1, committed)]
    })
  }

  /**
   * Reads the frames that follow on the last one that was read, in one call. Returns none where that does not lead to
   * `number`, or not to an intact frame.
   */
  #readAhead(number: number, committed: number): readonly StoredFrame[] {
    const start = this.#cursor
    if (start === undefined || start.first !== number || number > committed) return []
    const read = this.#inSegment(start.segment, (segment) => {
      const most = committed - number < MUCH ? LITTLE_BYTES : MUCH_BYTES
      const bytes = readWhole(this.#files, segment.file, this.#buffer.subarray(0, most), start.offset)
      const frames: StoredFrame[] = []
      for (let [at, next] = [0, number]; next <= committed; ) {
        const place = placeOf(bytes.subarray(at, at + FRAME_HEADER_BYTES), segment, start.offset + at)
        if (place === undefined || place.life !== start.life || place.first !== next) break
        if (at > 0 && at + place.bytes > bytes.length) break
        const frame =
          at + place.bytes > bytes.length
            ? readFrame(this.#files, segment.file, place)
            : this.#buffer.subarray(at, at + place.bytes)
        if (!isIntact(frame)) break
        frames.push({ frame, first: place.first, last: place.last })
        this.#cursor = cursorBehind(place)
        at += place.bytes
        next = place.last + 1
      }
      return frames
    })
    return read ?? []
  }

  /** Reads the frame that holds the number, or the next one. */
  #readAt(number: number, committed: number): StoredFrame | undefined {
    const place = this.#find(number, committed)
    const stored = place && this.#stored(place)
    if (stored?.damage === undefined) return stored
    // Its header is not to be trusted: the frames around it say which numbers it has.
    const recovered = this.#recovered(number, committed)
    return recovered && this.#stored(recovered)
  }

  /** The first frame of each segment. */
  #heads(): FramePlace[] {
    return segmentNumbers(this.#files, this.#directory).flatMap(
      (number) => this.#inSegment(number, (segment) => firstFrame(this.#files, segment)) ?? [],
    )
  }

  /** Finds the frame that holds the number, or the next one. The search of all files is only for damaged ones. */
  #find(number: number, committed: number): FramePlace | undefined {
    const heads = this.#heads()
    const start = startFor(number, this.#cursor === undefined ? heads : [this.#cursor, ...heads])
    return (start && this.#walk(start, number)) ?? this.#recovered(number, committed)
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

  #recovered(number: number, committed: number): FramePlace | undefined {
    return recover(this.#files, this.#directory, { released: number - 1, committed }).chain[0]
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

const missing = (first: number, last: number): StoredFrame => ({
  frame: new Uint8Array(0),
  first,
  last,
  damage: `the incidents ${first} to ${last} are missing in the files of the journal`,
})

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
