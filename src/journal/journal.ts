import { CodedError } from '../domain/errors.ts'
import { FRAME_HEADER_BYTES, headerOf, type KeyedRequest } from '../domain/frame.ts'
import type { Journal, StoredFrame } from './contract.ts'
import { directoryGone, toDiskError, withDiskErrors } from './errors.ts'
import { type Files, nodeFiles } from './files.ts'
import { FrameIndex } from './frame-index.ts'
import { type FramePlace, placeOf, readFrame, readStored } from './frame-place.ts'
import { createIdPrefixes } from './id-prefix.ts'
import { readKeys } from './keys.ts'
import { recover } from './recovery.ts'
import { journalDirectory, withSegment } from './scan.ts'
import { removeUnfinished, type SegmentSizes, Segments } from './segments.ts'
import { settle } from './settle.ts'
import { Writer } from './writer.ts'

interface JournalOptions {
  readonly dataDir: string
  /** Number of the last incident whose rows are durable in the database. */
  readonly released: number
  /** Number of the last incident that an earlier thread of this process has committed; absent: none is known. */
  readonly committed?: number
  /** Epoch milliseconds. */
  now(): number
  /** Called when committed frames are damaged or missing. */
  damaged(what: string): void
  readonly files?: Files
  readonly sizes?: SegmentSizes
}

const MIB = 1024 * 1024
const SIZES: SegmentSizes = { firstBytes: MIB, maxBytes: 16 * MIB }

/**
 * Opens the journal in `<dataDir>/journal`; creates it when it is missing. The caller holds the lock (`lockJournal`).
 * `keys`: the requests with idempotency keys that are not released. Throws `storage_down`.
 */
export function openJournal(options: JournalOptions): { journal: Journal; keys: readonly KeyedRequest[] } {
  const directory = journalDirectory(options.dataDir)
  const { files = nodeFiles } = options
  return withDiskErrors(directory, () => {
    files.makeDirectory(directory)
    const journal = new SegmentJournal({ files, sizes: SIZES, ...options, directory })
    return { journal, keys: readKeys(files, directory, journal.open(Infinity)) }
  })
}

interface JournalDeps extends Omit<JournalOptions, 'dataDir'> {
  readonly files: Files
  readonly sizes: SegmentSizes
  readonly directory: string
}

interface OpenState {
  readonly segments: Segments
  readonly writer: Writer
}

class SegmentJournal implements Journal {
  readonly #deps: JournalDeps
  readonly #idPrefix = createIdPrefixes()
  #index = new FrameIndex()
  #released: number
  #next: number
  #keyed = 0
  #life = 0
  /** Undefined: failed. */
  #state: OpenState | undefined

  constructor(deps: JournalDeps) {
    this.#deps = deps
    this.#released = deps.released
    // Committed incidents keep their numbers even when their frame is lost: storage may have applied them.
    this.#next = Math.max(deps.released, deps.committed ?? 0) + 1
  }

  get nextNumber(): number {
    return this.#next
  }

  get keyed(): number {
    return this.#keyed
  }

  get size() {
    if (this.#state === undefined) return { bytes: 0, usedBytes: 0, segments: 0 }
    const { segments, writer } = this.#state
    const usedBytes = segments.usedBytes + writer.usedBytes(this.#released)
    return { bytes: segments.bytes, usedBytes, segments: segments.count }
  }

  /**
   * Recovers the frames and begins a life. `committed`: number of the last incident that is known to be committed;
   * Infinity: the files decide. Returns the frames that are not released.
   */
  open(committed: number): readonly FramePlace[] {
    const { files, directory, sizes, damaged } = this.#deps
    removeUnfinished(files, directory)
    // A segment that an earlier process named may have its name in memory alone.
    files.syncDirectory(directory)
    const recovered = recover(files, directory, { released: this.#released, committed })
    for (const what of recovered.damage) damaged(what)
    settle(files, directory, recovered)
    const { chain } = recovered
    const index = new FrameIndex()
    for (const place of chain) index.push(place)
    this.#index = index
    this.#next = Math.max(this.#next, (chain.at(-1)?.last ?? 0) + 1)
    this.#keyed = Math.max(this.#keyed, chain.findLast(({ keyed }) => keyed)?.last ?? 0)
    this.#life = Math.max(this.#life, recovered.life) + 1
    const lastOf = new Map<number, number>()
    for (const { segment, last } of chain) lastOf.set(segment, last)
    const segments = new Segments(
      recovered.segments.map((segment) => ({ ...segment, last: lastOf.get(segment.number) })),
      { files, directory, sizes },
    )
    const writer = new Writer({ files, directory, segments, life: this.#life })
    this.#prepare(segments)
    this.#state = { segments, writer }
    return chain
  }

  /** A full disk does not keep the journal from opening: it refuses the first append. */
  #prepare(segments: Segments): void {
    try {
      segments.ensureFree()
    } catch (error) {
      const failure = toDiskError(this.#deps.directory, error)
      if (!(failure instanceof CodedError && failure.code === 'storage_full')) throw failure
    }
    segments.prepare(2)
  }

  append(frames: readonly Uint8Array<ArrayBuffer>[]): void {
    const { directory, now } = this.#deps
    const { writer } = this.#opened()
    const group = withDiskErrors(directory, () => writer.place(frames))
    const committedAt = now()
    writer.seal(group, { first: this.#next, committedAt, idPrefix: this.#idPrefix(committedAt) })
    this.#orFail(
      () => writer.write(group),
      () => writer.close(group),
    )
    for (const place of writer.take(group)) {
      this.#index.push(place)
      this.#next = place.last + 1
    }
    if (frames.some((frame) => headerOf(frame).keyed)) this.#keyed = this.#next - 1
  }

  #opened(): OpenState {
    if (this.#state) return this.#state
    const { directory } = this.#deps
    try {
      this.open(this.#next - 1)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw directoryGone(directory)
      throw toDiskError(directory, error)
    }
    return this.#opened()
  }

  /** After a failed write or sync the page cache is not to be trusted: the next append recovers from the files. */
  #orFail(work: () => void, close: () => void): void {
    try {
      work()
    } catch (error) {
      this.#state = undefined
      close()
      throw toDiskError(this.#deps.directory, error)
    }
  }

  release(number: number): void {
    this.#released = Math.max(this.#released, number)
    this.#index.release(this.#released)
    this.#state?.segments.release(this.#released)
  }

  find(number: number): StoredFrame | undefined {
    const { files, directory } = this.#deps
    const at = number < this.#next && number > this.#released ? this.#index.find(number) : undefined
    if (at === undefined) return undefined
    return withDiskErrors(directory, () =>
      withSegment(files, directory, at.segment, (segment) => {
        const header = readFrame(files, segment.file, { offset: at.offset, bytes: FRAME_HEADER_BYTES })
        const place = placeOf(header, segment, at.offset)
        if (place === undefined || place.first > number || place.last < number) return undefined
        return readStored(files, segment.file, place)
      }),
    )
  }

  check(): void {
    const { writer } = this.#opened()
    withDiskErrors(this.#deps.directory, () => writer.makeRoom())
    this.#orFail(
      () => writer.check(),
      () => writer.close(),
    )
  }

  close(): void {
    this.#state?.writer.close()
    this.#state = undefined
  }
}
