import { bodiesAt, FRAME_HEADER_BYTES, readFrameCounts, readFrameHeader, readFrameOptions } from '../domain/frame.ts'
import { incidentId } from '../domain/incident-id.ts'
import type { Files } from './files.ts'
import { type FramePlace, WindowReader } from './frame-place.ts'
import { withSegment } from './scan.ts'

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly key: string
  /** Number and id of its first incident. */
  readonly number: number
  readonly id: string
}

/** Yields the keyed requests of a sealed frame, which may end with its options. */
export function* keyedRequests(frame: Uint8Array): Generator<KeyedRequest> {
  const header = readFrameHeader(frame)
  if (!header?.keyed) return
  const options = readFrameOptions(frame)
  let number = header.first
  for (const [request, count] of readFrameCounts(frame).entries()) {
    const key = options.get(request)?.key
    if (key !== undefined) yield { key, number, id: incidentId(header.idPrefix, number) }
    number += count
  }
}

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
