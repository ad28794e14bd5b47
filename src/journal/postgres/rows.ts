import { crc32 } from 'node:zlib'
import { CodedError } from '../../domain/errors.ts'
import {
  FRAME_CRC_FROM,
  FRAME_HEADER_BYTES,
  FRAME_VERSION,
  type FrameHeader,
  headerOf,
  readFrameHeader,
  sealFrame,
} from '../../domain/frame.ts'
import { ID_PREFIX_BYTES } from '../../domain/incident-id.ts'
import type { StoredFrame } from '../contract.ts'

/** Frames of an append that are stored as one row. */
interface NewRow {
  /** Incidents of the append before it. */
  readonly offset: number
  readonly incidents: number
  readonly frames: Uint8Array
}

/** A row of `journal`. */
export interface StoredRow {
  readonly first: number
  readonly last: number
  /** Epoch milliseconds. */
  readonly committedAt: number
  readonly frames: Uint8Array
}

/** A reader takes whole rows, and `find` reads one. */
const ROW_BYTES = 256 * 1024

/**
 * Divides the frames of an append into rows. Seals them without numbers, which the database gives: a frame is stored
 * with its ids' prefix, with 0 for number and time, and with the checksum of that.
 */
export function rowsOf(frames: readonly Uint8Array<ArrayBuffer>[], idPrefix: Uint8Array): NewRow[] {
  const parts: { readonly frames: Uint8Array[]; readonly offset: number; incidents: number; bytes: number }[] = []
  let offset = 0
  for (const frame of frames) {
    sealFrame(frame, { ...UNNUMBERED, idPrefix }, crc32)
    const { incidents } = headerOf(frame)
    let part = parts.at(-1)
    if (part === undefined || part.bytes + frame.length > ROW_BYTES) {
      part = { frames: [], offset, incidents: 0, bytes: 0 }
      parts.push(part)
    }
    part.frames.push(frame)
    part.incidents += incidents
    part.bytes += frame.length
    offset += incidents
  }
  return parts.map((part) => ({ offset: part.offset, incidents: part.incidents, frames: Buffer.concat(part.frames) }))
}

const UNNUMBERED = { first: 0, life: 0, committedAt: 0, leads: false }

/** Gives the frames of an append in memory their numbers. Without checksum, which nobody reads there. */
export function numberFrames(
  frames: readonly Uint8Array<ArrayBuffer>[],
  { first, committedAt }: Pick<StoredRow, 'first' | 'committedAt'>,
): void {
  let next = first
  for (const frame of frames) {
    seal(frame, { first: next, committedAt }, () => 0)
    next += headerOf(frame).incidents
  }
}

function seal(
  frame: Uint8Array,
  { first, committedAt }: Pick<StoredRow, 'first' | 'committedAt'>,
  checksum: (bytes: Uint8Array) => number,
): void {
  const idPrefix = frame.slice(ID_PREFIX_AT, ID_PREFIX_AT + ID_PREFIX_BYTES)
  sealFrame(frame, { ...UNNUMBERED, first, committedAt, idPrefix }, checksum)
}
const ID_PREFIX_AT = 40

/**
 * Returns the frames of a row, numbered, as views of it. What cannot be read is one damaged frame with all numbers that
 * are left. Throws `storage_down` for a frame of a newer format.
 */
export function framesOf({ first, last, committedAt, frames }: StoredRow): StoredFrame[] {
  const found: StoredFrame[] = []
  let next = first
  for (let at = 0; next <= last; ) {
    const rest = viewOf(frames, at)
    const header = readFrameHeader(rest)
    if (header === undefined || !fits(header, { rest: rest.length, numbers: last - next + 1 }))
      return [...found, { frame: rest, first: next, last, damage: `no frame begins at byte ${at} of the row ${last}` }]
    const frame = rest.subarray(0, header.bytes)
    const place = { frame, first: next, last: next + header.incidents - 1 }
    if (crc32(frame.subarray(FRAME_CRC_FROM)) === header.crc32) {
      seal(frame, { first: next, committedAt }, crc32)
      found.push(place)
    } else found.push({ ...place, damage: `the checksum is wrong (row ${last}, byte ${at})` })
    at += header.bytes
    next = place.last + 1
  }
  return found
}

function fits(header: FrameHeader, room: { readonly rest: number; readonly numbers: number }): boolean {
  if (header.version > FRAME_VERSION)
    throw new CodedError(
      'storage_down',
      `the table journal has a frame of format version ${header.version}, and this program reads up to ${FRAME_VERSION}: start the newer program`,
    )
  const { bytes, incidents } = header
  return bytes >= FRAME_HEADER_BYTES && bytes <= room.rest && incidents > 0 && incidents <= room.numbers
}

const viewOf = (bytes: Uint8Array, from: number) =>
  new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset + from, bytes.length - from)
