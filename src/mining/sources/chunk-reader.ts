import { MAX_EVENT } from './contract.ts'
import type { Multiline, MultilineEvents } from './multiline.ts'

interface Chunk {
  readonly bytes: Buffer
  /** The chunk has the maximum size: more bytes may follow. */
  readonly full: boolean
  /** No bytes will ever follow: an unterminated rest counts as a line. */
  readonly finished: boolean
  /** The last event may continue in bytes that are written later. */
  readonly mayContinue: boolean
  /** The chunk begins within a line that was too long; its start was already returned. */
  readonly skipping: boolean
}

export interface ChunkRead {
  readonly events: readonly string[]
  /** Number of bytes consumed by events and skipped lines. */
  readonly consumed: number
  readonly skipping: boolean
}

const NEWLINE = 10

/** Splits a chunk into lines and joins them to events. An incomplete line or event is left for the next chunk. */
export function readChunk(chunk: Chunk, multiline: Multiline): ChunkRead {
  const { bytes, full, finished } = chunk
  const end = bytes.lastIndexOf(NEWLINE)
  if (end < 0 && full) return startOfLongLine(chunk)
  const first = chunk.skipping ? bytes.indexOf(NEWLINE) + 1 : 0
  if (chunk.skipping && first === 0) return { events: [], consumed: finished ? bytes.length : 0, skipping: !finished }
  const stop = finished ? bytes.length : end + 1
  if (stop <= first) return { events: [], consumed: first, skipping: false }
  const joined = multiline(linesOf(bytes, first, stop))
  const { openLines } = joined
  if (!chunk.mayContinue || openLines === 0) return { events: joined.events, consumed: stop, skipping: false }
  return withoutLast(chunk, joined, { first, end })
}

function linesOf(bytes: Buffer, first: number, stop: number): string[] {
  const last = bytes[stop - 1] === NEWLINE ? stop - 1 : stop
  const text = bytes.toString('utf8', first, last)
  const lines = text.split('\n')
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines
}

/** Leaves the last event for the next chunk. An event that fills a whole chunk counts as complete. */
function withoutLast(
  { bytes, full }: Chunk,
  joined: MultilineEvents,
  { first, end }: { first: number; end: number },
): ChunkRead {
  const start = startOfLast(bytes, end, joined.openLines)
  if (full && start <= first) return { events: joined.events, consumed: end + 1, skipping: false }
  return { events: joined.events.slice(0, -1), consumed: Math.max(first, start), skipping: false }
}

/** Returns the start of the last `lines` lines before the line end at `end`. */
function startOfLast(bytes: Buffer, end: number, lines: number): number {
  let at = end
  for (let left = lines; left > 0 && at >= 0; left--) at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
  return at + 1
}

function startOfLongLine({ bytes, skipping }: Chunk): ChunkRead {
  const events = skipping ? [] : [bytes.toString('utf8', 0, MAX_EVENT)]
  return { events, consumed: bytes.length, skipping: true }
}
