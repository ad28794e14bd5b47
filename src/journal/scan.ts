import { join } from 'node:path'
import { FRAME_HEADER_BYTES, FRAME_MAGIC, FRAME_VERSION } from '../domain/frame.ts'
import { type Files, readWhole } from './files.ts'
import { type FramePlace, isIntact, placeOf, readFrame, type SegmentFile, WindowReader } from './frame-place.ts'

const NUMBER = /^[1-9]\d*$/
const CHUNK_BYTES = 1024 * 1024
const MAGIC = Buffer.from(new Uint32Array([FRAME_MAGIC]).buffer)

/** Returns the directory of the segment files. */
export const journalDirectory = (dataDir: string): string => join(dataDir, 'journal')

/** Path of a segment file. Its number says nothing about the order of its frames. */
export const segmentPath = (directory: string, number: number): string => join(directory, String(number))

/** Returns the numbers of the segment files, in rising order. */
export const segmentNumbers = (files: Files, directory: string): number[] =>
  files
    .list(directory)
    .filter((name) => NUMBER.test(name))
    .map(Number)
    .sort((one, other) => one - other)

/** Runs `work` on an open segment file; returns undefined when there is no such file. */
export function withSegment<T>(
  files: Files,
  directory: string,
  number: number,
  work: (segment: SegmentFile) => T,
): T | undefined {
  const path = segmentPath(directory, number)
  const file = openIfAny(files, path)
  if (file === undefined) return undefined
  try {
    return work({ number, path, file, bytes: files.size(file) })
  } finally {
    files.close(file)
  }
}

function openIfAny(files: Files, path: string): number | undefined {
  try {
    return files.open(path, 'read')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns the first frame of a segment: by it the life of the segment's frames and their first number are known. */
export const firstFrame = (files: Files, segment: SegmentFile): FramePlace | undefined =>
  placeOf(readWhole(files, segment.file, new Uint8Array(FRAME_HEADER_BYTES), 0), segment, 0)

/**
 * Yields the frames that lie one behind another from `from` on, by their headers alone: all of one life, their numbers
 * without gaps. Throws `storage_down` for a frame of a newer format.
 */
export function* walkSegment(files: Files, segment: SegmentFile, from = 0): Generator<FramePlace> {
  const window = new WindowReader(files, segment.file)
  let before: FramePlace | undefined
  for (let offset = from; offset + FRAME_HEADER_BYTES <= segment.bytes; ) {
    const place = placeOf(window.bytes(offset, FRAME_HEADER_BYTES), segment, offset)
    if (place === undefined || !follows(before, place)) return
    yield place
    before = place
    offset += place.bytes
  }
}

const follows = (before: FramePlace | undefined, place: FramePlace) =>
  before === undefined || (place.first === before.last + 1 && place.life === before.life)

/**
 * Yields the whole frames that begin anywhere from `from` on and hold a number above `released`: those behind a damaged
 * one. Text of a client cannot pass for a frame, because a header has bytes that JSON does not allow.
 */
export function* searchFrames(
  files: Files,
  segment: SegmentFile,
  from: number,
  released: number,
): Generator<FramePlace> {
  const chunk = new Uint8Array(CHUNK_BYTES)
  let least = from
  for (let start = from; start + FRAME_HEADER_BYTES <= segment.bytes; start += CHUNK_BYTES - FRAME_HEADER_BYTES) {
    const read = Buffer.from(chunk.buffer, 0, readWhole(files, segment.file, chunk, start).length)
    for (let hit = read.indexOf(MAGIC); hit >= 0; hit = read.indexOf(MAGIC, hit + 1)) {
      const offset = start + hit
      if (offset < least || offset % 8 !== 0 || hit + FRAME_HEADER_BYTES > read.length) continue
      if (read.readUInt16LE(hit + 4) !== FRAME_VERSION) continue
      const place = placeOf(read.subarray(hit, hit + FRAME_HEADER_BYTES), segment, offset)
      if (place === undefined || place.last <= released || !isIntact(readFrame(files, segment.file, place))) continue
      yield place
      least = offset + place.bytes
    }
  }
}
