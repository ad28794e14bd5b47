import { crc32 } from 'node:zlib'
import { headerOf, sealFrame } from '../domain/frame.ts'
import { directoryGone } from './errors.ts'
import { type Files, writeWhole } from './files.ts'
import type { FramePlace } from './frame-place.ts'
import { segmentPath } from './scan.ts'
import type { Segment, Segments } from './segments.ts'

interface WriterDeps {
  readonly files: Files
  readonly directory: string
  readonly segments: Segments
  /** Number of this opening of the journal: frames carry it, so that those of a later one win. */
  readonly life: number
}

/** The segment that is written. */
interface Active {
  readonly segment: Segment
  readonly file: number
  /** Identity of the file: another one shows that its directory was removed or replaced. */
  readonly identity: number | undefined
  /** Offset of the next frame. */
  offset: number
  /** Number of the last incident in it; 0: none. */
  last: number
}

/** Frames of a group that go into one segment, with one write and one sync. */
interface Part {
  readonly active: Active
  readonly frames: Uint8Array<ArrayBuffer>[]
  bytes: number
}

type Group = readonly Part[]

interface GroupSeal {
  /** Number of the first incident. */
  readonly first: number
  readonly committedAt: number
  readonly idPrefix: Uint8Array
}

/** Bytes that a check writes. No frame begins with zeros. */
const CHECK = new Uint8Array(8)
/** With less room than for a common frame, a free segment is needed. */
const ROOM_BYTES = 64 * 1024

/**
 * Writes the frames of one opening of the journal: its first one begins a segment, so that it never writes behind frames
 * of another. A group is placed, sealed, written and then taken. Methods throw errors of the disk.
 */
export class Writer {
  readonly #deps: WriterDeps
  #active: Active | undefined

  constructor(deps: WriterDeps) {
    this.#deps = deps
  }

  /** Bytes of the segment that is written, if it holds incidents above `released`. */
  usedBytes(released: number): number {
    return this.#active && this.#active.last > released ? this.#active.segment.bytes : 0
  }

  /** Divides a group by segments. Takes as many as it needs, or throws and leaves all as it was. */
  place(frames: readonly Uint8Array<ArrayBuffer>[]): Group {
    const parts: Part[] = []
    try {
      let part: Part | undefined = this.#active && { active: this.#active, frames: [], bytes: 0 }
      for (const frame of frames) {
        if (part === undefined || part.active.offset + part.bytes + frame.length > part.active.segment.bytes)
          part = { active: this.#take(frame.length), frames: [], bytes: 0 }
        if (part.frames.length === 0) parts.push(part)
        part.frames.push(frame)
        part.bytes += frame.length
      }
      return parts
    } catch (error) {
      for (const { active } of parts) if (active !== this.#active) this.#giveBack(active)
      throw error
    }
  }

  /** Completes the headers of a group. */
  seal(group: Group, { first, committedAt, idPrefix }: GroupSeal): void {
    const { life } = this.#deps
    let next = first
    for (const { frames } of group) {
      for (const [at, frame] of frames.entries()) {
        sealFrame(frame, { first: next, life, committedAt, idPrefix, leads: at === 0 }, crc32)
        next += incidentsOf(frame)
      }
    }
  }

  /** Writes a group and syncs it. Call `close` with the group when it throws: parts of it may be on disk. */
  write(group: Group): void {
    for (const { active, frames } of group) this.#writeAndSync(active, frames)
  }

  /** Takes a written group; returns the places of its frames. */
  take(group: Group): Pick<FramePlace, 'segment' | 'offset' | 'first' | 'last'>[] {
    const places = group.flatMap(({ active, frames }) => {
      if (active !== this.#active) this.#replaceActive(active)
      return frames.map((frame) => {
        const { first, incidents } = headerOf(frame)
        const place = { segment: active.segment.number, offset: active.offset, first, last: first + incidents - 1 }
        active.offset += frame.length
        active.last = place.last
        return place
      })
    })
    this.#deps.segments.prepare(1)
    return places
  }

  /** Makes sure that there is room for the next frames, and for `check`. */
  makeRoom(): void {
    const active = this.#active
    const room = active === undefined ? 0 : active.segment.bytes - active.offset
    if (room < ROOM_BYTES) this.#deps.segments.ensureFree()
    if (room < CHECK.length) this.#replaceActive(this.#take(CHECK.length))
  }

  /** Writes behind the last frame and syncs. Call `close` when it throws. */
  check(): void {
    if (this.#active) this.#writeAndSync(this.#active, [CHECK])
  }

  /** Closes its files, also those of a group that was not taken. */
  close(group: Group = []): void {
    this.#deps.segments.close()
    for (const active of new Set([this.#active, ...group.map((part) => part.active)])) {
      try {
        if (active) this.#deps.files.close(active.file)
      } catch {}
    }
  }

  #take(bytes: number): Active {
    const { files, directory, segments } = this.#deps
    const segment = segments.take(bytes)
    try {
      const path = segmentPath(directory, segment.number)
      return { segment, file: files.open(path, 'write'), identity: files.identity(path), offset: 0, last: 0 }
    } catch (error) {
      segments.giveBack(segment)
      throw error
    }
  }

  #giveBack({ segment, file }: Active): void {
    this.#deps.files.close(file)
    this.#deps.segments.giveBack(segment)
  }

  #replaceActive(next: Active): void {
    const active = this.#active
    this.#active = next
    if (active === undefined) return
    if (active.last === 0) return this.#giveBack(active)
    this.#deps.files.close(active.file)
    this.#deps.segments.use(active.segment, active.last)
  }

  #writeAndSync({ segment, file, identity, offset }: Active, buffers: readonly Uint8Array[]): void {
    const { files, directory } = this.#deps
    const found = files.identity(segmentPath(directory, segment.number))
    if (found === undefined || found !== identity) throw directoryGone(directory)
    writeWhole(files, file, buffers, offset)
    files.sync(file)
  }
}

const incidentsOf = (frame: Uint8Array): number => headerOf(frame).incidents
