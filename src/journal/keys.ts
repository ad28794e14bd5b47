import { bodiesAt, FRAME_HEADER_BYTES, type KeyedRequest, keyedRequests, readFrameHeader } from '../domain/frame.ts'
import type { Files } from './files.ts'
import { type FramePlace, WindowReader } from './frame-place.ts'
import { withSegment } from './scan.ts'

/** Reads the keyed requests of frames in order; skips damaged ones. */
export function readKeys(files: Files, directory: string, places: readonly FramePlace[]): KeyedRequest[] {
  const keyed = places.filter(({ keyed, damage }) => keyed && damage === undefined)
  const segments = new Set(keyed.map(({ segment }) => segment))
  return [...segments].flatMap((number) => {
    const own = keyed.filter(({ segment }) => segment === number)
    return withSegment(files, directory, number, ({ file }) => keysOf(new WindowReader(files, file), own)) ?? []
  })
}

function keysOf(reader: WindowReader, places: readonly FramePlace[]): KeyedRequest[] {
  return places.flatMap(({ offset }) => {
    const header = readFrameHeader(reader.bytes(offset, FRAME_HEADER_BYTES))
    if (header === undefined) return []
    try {
      return [...keyedRequests(reader.bytes(offset, bodiesAt(header)))]
    } catch (error) {
      if (error instanceof SyntaxError) return []
      throw error
    }
  })
}
