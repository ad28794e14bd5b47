import { RE2JS } from 're2js'
import { MAX_EVENT } from './contract.ts'

/** Rules for joining lines to events. */
interface MultilineOptions {
  /** RE2 syntax of lines that begin an event; '': indented lines continue the event before. */
  readonly eventStart: string
  readonly enable: boolean
}

interface MultilineEvents {
  readonly events: readonly string[]
  /** Number of lines of the last event, which may continue. */
  readonly openLines: number
}

/** Joins lines to events, in order. */
export type Multiline = (lines: readonly string[]) => MultilineEvents

const MAX_LINES = 500

export function createMultiline({ enable, eventStart }: MultilineOptions): Multiline {
  if (!enable) return (lines) => ({ events: lines.filter((line) => line !== '').map(cut), openLines: 0 })
  const begins = eventStart === '' ? beginsUnindented : startOf(eventStart)
  return (lines) => joinWith(begins, lines)
}

function startOf(source: string): (line: string) => boolean {
  const pattern = RE2JS.compile(source)
  return (line) => pattern.test(line)
}

/**
 * Returns false for indented lines, and for `Caused by:` and closing brackets, which belong to stack traces and printed
 * objects.
 */
function beginsUnindented(line: string): boolean {
  const unit = line.charCodeAt(0)
  if (unit === SPACE || unit === TAB || unit === CLOSING_BRACE || unit === CLOSING_BRACKET) return false
  return !(unit === LETTER_C && line.startsWith('Caused by: '))
}
const SPACE = 32
const TAB = 9
const CLOSING_BRACE = 125
const CLOSING_BRACKET = 93
const LETTER_C = 67

function joinWith(begins: (line: string) => boolean, lines: readonly string[]): MultilineEvents {
  const events: string[] = []
  let event = ''
  let openLines = 0
  let inKey = false
  for (const line of lines) {
    const blank = line === ''
    const goesOn = openLines > 0 && openLines < MAX_LINES && (blank || inKey || !begins(line))
    if (goesOn) {
      if (!blank && event.length < MAX_EVENT) event = cut(`${event}\n${line}`)
      openLines++
    } else if (!blank) {
      if (event !== '') events.push(event)
      event = cut(line)
      openLines = 1
    }
    // Keeps the lines of a private key in one event, because redaction masks it as a whole.
    if (line.endsWith('-----')) inKey = line.endsWith(' PRIVATE KEY-----') && !line.includes('-----END ')
  }
  if (event !== '') events.push(event)
  return { events, openLines }
}

const cut = (text: string) => (text.length > MAX_EVENT ? text.slice(0, MAX_EVENT) : text)

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
