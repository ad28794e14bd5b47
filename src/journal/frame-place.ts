import { crc32 } from 'node:zlib'
import { CodedError } from '../domain/errors.ts'
import {
  bodiesAt,
  FRAME_CRC_FROM,
  FRAME_HEADER_BYTES,
  FRAME_VERSION,
  type FrameHeader,
  readFrameHeader,
} from '../domain/frame.ts'
import type { StoredFrame } from './contract.ts'
import { type Files, readWhole } from './files.ts'

/** Position of a frame, and the fields that order frames. */
export interface FramePlace {
  /** Number of the segment. */
  readonly segment: number
  /** Bytes from the start of the segment. */
  readonly offset: number
  readonly bytes: number
  /** Number of its first and last incident. */
  readonly first: number
  readonly last: number
  readonly life: number
  readonly keyed: boolean
  readonly leads: boolean
  /** Description of the damage; absent when the bytes are right, or were not checked. */
  readonly damage?: string
}

/** An open segment file. */
export interface SegmentFile {
  readonly number: number
  readonly path: string
  readonly file: number
  readonly bytes: number
}

const WINDOW_BYTES = 16 * 1024

/** Reads a file through a window, so that small neighbours cost one call. A result holds until the next one. */
export class WindowReader {
  readonly #files: Files
  readonly #file: number
  readonly #buffer = new Uint8Array(WINDOW_BYTES)
  #window: Uint8Array = new Uint8Array(0)
  #at = 0

  constructor(files: Files, file: number) {
    this.#files = files
    this.#file = file
  }

  /** Returns `length` bytes from `position` on, or fewer at the end of the file. */
  bytes(position: number, length: number): Uint8Array {
    if (length > WINDOW_BYTES) return readWhole(this.#files, this.#file, new Uint8Array(length), position)
    if (position < this.#at || position + length > this.#at + this.#window.length) {
      this.#window = readWhole(this.#files, this.#file, this.#buffer, position)
      this.#at = position
    }
    return this.#window.subarray(position - this.#at, position - this.#at + length)
  }
}

/**
 * Returns the place of the frame whose header these bytes are; undefined when no frame of the segment can begin so.
 * Throws `storage_down` for a frame of a newer format.
 */
export function placeOf(
  header: Uint8Array,
  { number, path, bytes: size }: SegmentFile,
  offset: number,
): FramePlace | undefined {
  const read = readFrameHeader(header)
  if (read === undefined) return undefined
  if (read.version > FRAME_VERSION) throw newerFormat(path, read.version)
  const { bytes, first, incidents, life, keyed, leads } = read
  if (!isPlausible(read) || offset + bytes > size) return undefined
  return { segment: number, offset, bytes, first, last: first + incidents - 1, life, keyed, leads }
}

function isPlausible(header: FrameHeader): boolean {
  const { version, headerBytes, bytes, first, incidents, requests, bodyBytes } = header
  return (
    version === FRAME_VERSION &&
    headerBytes === FRAME_HEADER_BYTES &&
    bytes % 8 === 0 &&
    bytes >= FRAME_HEADER_BYTES &&
    bodiesAt(header) + bodyBytes <= bytes &&
    Number.isSafeInteger(first) &&
    first > 0 &&
    incidents > 0 &&
    requests > 0
  )
}

const newerFormat = (path: string, version: number) =>
  new CodedError(
    'storage_down',
    `the journal file ${path} has format version ${version}, and this program reads up to ${FRAME_VERSION}: start the newer program`,
  )

/** Reads a whole frame into a buffer of its own. */
export function readFrame(
  files: Files,
  file: number,
  { offset, bytes }: Pick<FramePlace, 'offset' | 'bytes'>,
): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(bytes)
  readWhole(files, file, frame, offset)
  return frame
}

export const WRONG_CHECKSUM = 'the checksum is wrong'

/** Reads a whole frame and checks it. */
export function readStored(files: Files, file: number, place: FramePlace): StoredFrame {
  const { segment, offset, first, last } = place
  const frame = readFrame(files, file, place)
  if (isIntact(frame)) return { frame, first, last }
  return { frame, first, last, damage: `${WRONG_CHECKSUM} (segment ${segment}, offset ${offset})` }
}

/** Returns whether the checksum of the whole frame is right. */
export const isIntact = (frame: Uint8Array): boolean =>
  readFrameHeader(frame)?.crc32 === crc32(frame.subarray(FRAME_CRC_FROM))
