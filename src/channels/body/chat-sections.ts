import { graphemeFloor } from '../../text/graphemes.ts'

/** Limits of one message's section blocks, in UTF-16 units. */
interface SectionLimits {
  readonly section: number
  readonly total: number
}

const FENCE = '```'
const FENCE_ROOM = 2 * (FENCE.length + 1)
/** Cutting ends when less than this is left of the total. */
const SHORTEST_SECTION = 64
/** Sections are cut in their later half, which bounds their number. */
const WORTH_KEEPING = 0.5

/**
 * Cuts chat markup into sections: at line ends if possible, else at spaces, else between graphemes. Never cuts an
 * entity or a link. A code fence that spans sections is closed and opened again. Text beyond `total` is left out.
 */
export function sections(text: string, { section, total }: SectionLimits): string[] {
  const out: string[] = []
  let rest = text
  let left = total
  let fenced = false
  while (rest !== '' && left >= SHORTEST_SECTION) {
    const room = Math.min(section, left) - FENCE_ROOM
    const head = rest.length <= room ? rest : rest.slice(0, cutAt(rest, room))
    rest = rest.slice(head.length)
    const opened: string = fenced ? `${FENCE}\n${head}` : head
    fenced = occurrences(opened) % 2 === 1
    const whole = fenced ? `${opened}\n${FENCE}` : opened
    if (whole.trim() !== '') out.push(whole)
    left -= whole.length
  }
  return out
}

/** Returns where to cut a text that is longer than `room`: between half of `room` and all of it. */
function cutAt(text: string, room: number): number {
  const least = Math.floor(room * WORTH_KEEPING)
  const line = text.lastIndexOf('\n', room - 1) + 1
  if (line >= least) return line
  const space = text.lastIndexOf(' ', room - 1) + 1
  const grapheme = space >= least ? space : graphemeStart(text, room)
  const at = grapheme >= least ? grapheme : characterStart(text, room)
  const unfinished = UNFINISHED.exec(text.slice(0, at))?.index ?? at
  return unfinished >= least ? unfinished : at
}

/** An entity or a link at the end of a text that is not complete. */
const UNFINISHED = /(?:&[#\w]{0,8}|<[^<>\n]*)$/

/** Longer grapheme clusters are cut between characters: no language has them, and segmenting them is slow. */
const LONGEST_GRAPHEME = 64

/** Returns the start of the grapheme at a place; 0 when it is longer than `LONGEST_GRAPHEME`. */
function graphemeStart(text: string, at: number): number {
  const from = Math.max(0, at - LONGEST_GRAPHEME)
  const around = text.slice(from, at + LONGEST_GRAPHEME)
  const start = graphemeFloor(around, at - from)
  return start > 0 ? from + start : 0
}

function characterStart(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function occurrences(text: string): number {
  return text.split(FENCE).length - 1
}
