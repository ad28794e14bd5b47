import { join } from 'node:path'
import { type Files, writeWhole } from './files.ts'
import { segmentPath } from './scan.ts'

/** A segment file. It has room for `bytes` and never changes its size. */
export interface Segment {
  readonly number: number
  readonly bytes: number
}

export interface SegmentSizes {
  /** Size of the first segment: small, so that the first start is fast. Later ones double up to `maxBytes`. */
  readonly firstBytes: number
  readonly maxBytes: number
}

interface UsedSegment extends Segment {
  /** Number of the last incident in it. */
  readonly last: number
}

interface SegmentsDeps {
  readonly files: Files
  readonly directory: string
  readonly sizes: SegmentSizes
}

/** Free segments that are kept. More are left over from a backlog, and removed. */
const MAX_FREE = 4
const ZEROS = new Uint8Array(256 * 1024)
const BLOCK = 4_096
const UNFINISHED = '.new'

/**
 * The segment files of a journal.
 *
 * - being prepared: filled with zeros in the background, under a name of its own; leaves to free
 * - free: on disk as a whole, with nothing in it that is needed; leaves to taken, or is removed
 * - taken: the writer has it; leaves to used, or back to free
 * - used: full, with incidents that are not released; leaves to free
 */
export class Segments {
  readonly #deps: SegmentsDeps
  readonly #free: Segment[]
  /** In order of `last`. */
  readonly #used: UsedSegment[]
  #taken = 0
  #highest: number
  #largest: number
  #preparing = false
  #closed = false
  #bytes: number
  #usedBytes: number

  /** `last`: number of the last incident that is not released; undefined: the segment is free. */
  constructor(segments: readonly (Segment & { readonly last: number | undefined })[], deps: SegmentsDeps) {
    this.#deps = deps
    this.#free = segments.filter(({ last }) => last === undefined)
    this.#used = segments
      .flatMap(({ number, bytes, last }) => (last === undefined ? [] : [{ number, bytes, last }]))
      .sort((one, other) => one.last - other.last)
    this.#highest = Math.max(0, ...segments.map(({ number }) => number))
    this.#largest = Math.max(0, ...segments.map(({ bytes }) => bytes))
    this.#bytes = sumOf(segments)
    this.#usedBytes = sumOf(this.#used)
  }

  get bytes(): number {
    return this.#bytes
  }
  /** Bytes of used segments. */
  get usedBytes(): number {
    return this.#usedBytes
  }
  get count(): number {
    return this.#free.length + this.#used.length + this.#taken
  }

  /** Returns a segment with room for `bytes`: the largest free one, or a new one. Throws errors of the disk. */
  take(bytes: number): Segment {
    const largest = this.#free.reduce((one, other) => (one.bytes >= other.bytes ? one : other), NONE)
    const segment = largest.bytes >= bytes ? largest : this.#create(Math.max(bytes, this.#deps.sizes.firstBytes))
    this.#remove(segment)
    this.#taken++
    return segment
  }

  /** Gives back a taken segment in which nothing was written that counts. */
  giveBack(segment: Segment): void {
    this.#taken--
    this.#free.push(segment)
  }

  /** A taken segment is full. `last`: number of the last incident in it. */
  use(segment: Segment, last: number): void {
    this.#taken--
    this.#used.push({ ...segment, last })
    this.#usedBytes += segment.bytes
  }

  /** Frees segments whose incidents are all up to `released`; removes one that is too many, if the disk allows it. */
  release(released: number): void {
    for (let first = this.#used[0]; first !== undefined && first.last <= released; first = this.#used[0]) {
      this.#used.shift()
      this.#usedBytes -= first.bytes
      this.#free.push(first)
    }
    if (this.#free.length > MAX_FREE) this.#removeSmallest()
  }

  /** Creates a small segment when none is free. Throws errors of the disk. */
  ensureFree(): void {
    if (this.#free.length === 0) this.#free.push(this.#create(this.#deps.sizes.firstBytes))
  }

  /**
   * Begins to prepare a segment in the background when there are fewer than `count` free ones. A failure shows when
   * the segment is needed.
   */
  prepare(count: number): void {
    if (this.#free.length >= count || this.#preparing || this.#closed) return
    this.#preparing = true
    const { firstBytes, maxBytes } = this.#deps.sizes
    const bytes = Math.min(maxBytes, Math.max(firstBytes, this.#largest * 2))
    this.#createLater(bytes)
      .catch(() => {})
      .finally(() => {
        this.#preparing = false
      })
  }

  /** Ends a preparation that is under way. */
  close(): void {
    this.#closed = true
  }

  #create(atLeast: number): Segment {
    const { files, directory } = this.#deps
    const segment = this.#newSegment(atLeast)
    const path = segmentPath(directory, segment.number)
    const file = files.open(path + UNFINISHED, 'create')
    try {
      for (let at = 0; at < segment.bytes; at += ZEROS.length) writeWhole(files, file, [zeros(segment.bytes - at)], at)
      files.sync(file)
    } catch (error) {
      this.#removeQuietly(path + UNFINISHED)
      throw error
    } finally {
      files.close(file)
    }
    files.rename(path + UNFINISHED, path)
    files.syncDirectory(directory)
    this.#add(segment)
    return segment
  }

  async #createLater(bytes: number): Promise<void> {
    const { files, directory } = this.#deps
    const segment = this.#newSegment(bytes)
    const path = segmentPath(directory, segment.number)
    const file = files.open(path + UNFINISHED, 'create')
    try {
      for (let at = 0; at < segment.bytes && !this.#closed; )
        at += await files.writeLater(file, zeros(segment.bytes - at), at)
      if (!this.#closed) await files.syncLater(file)
    } catch (error) {
      if (!this.#closed) this.#removeQuietly(path + UNFINISHED)
      throw error
    } finally {
      files.close(file)
    }
    // The next opening of the journal may have begun: it removes what is unfinished.
    if (this.#closed) return
    files.rename(path + UNFINISHED, path)
    await files.syncDirectoryLater(directory)
    if (this.#closed) return
    this.#add(segment)
    this.#free.push(segment)
  }

  #newSegment(atLeast: number): Segment {
    return { number: ++this.#highest, bytes: Math.ceil(atLeast / BLOCK) * BLOCK }
  }

  #add({ bytes }: Segment): void {
    this.#bytes += bytes
    this.#largest = Math.max(this.#largest, Math.min(bytes, this.#deps.sizes.maxBytes))
  }

  #removeSmallest(): void {
    const { files, directory } = this.#deps
    const smallest = this.#free.reduce((one, other) => (one.bytes <= other.bytes ? one : other))
    try {
      files.remove(segmentPath(directory, smallest.number))
    } catch {
      return
    }
    this.#remove(smallest)
    this.#bytes -= smallest.bytes
  }

  #remove(segment: Segment): void {
    const at = this.#free.indexOf(segment)
    if (at >= 0) this.#free.splice(at, 1)
  }

  #removeQuietly(path: string): void {
    try {
      this.#deps.files.remove(path)
    } catch {}
  }
}

const NONE: Segment = { number: 0, bytes: 0 }
const sumOf = (segments: readonly Segment[]) => segments.reduce((sum, { bytes }) => sum + bytes, 0)
const zeros = (bytes: number) => ZEROS.subarray(0, Math.min(bytes, ZEROS.length))

/** Removes what an earlier process did not finish. */
export function removeUnfinished(files: Files, directory: string): void {
  for (const name of files.list(directory)) if (name.endsWith(UNFINISHED)) files.remove(join(directory, name))
}
