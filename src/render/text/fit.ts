import type { TextRules } from '../../domain/delivery/message.ts'
import { graphemeFloor } from '../../text/graphemes.ts'
import { ESCAPERS } from './escape.ts'
import { splitBotHtml } from './fitting/bot-html.ts'
import { COSTS, type Cost } from './fitting/cost.ts'
import { splitFences } from './fitting/fences.ts'
import { splitMailHtml } from './fitting/mail-html.ts'
import type { Piece, PieceSplitter } from './fitting/piece.ts'

export interface Fitted {
  readonly text: string
  /** The text was cut; it ends in a line with the missing size and the link, if there is room. */
  readonly cut: boolean
}

/**
 * Fits a rendered text to its provider's limit. A longer text is cut between graphemes and outside of markup, open
 * markup is closed, and a last line names the missing size and the link.
 * @param link address or id of the incident, as plain text
 */
export function fit(text: string, rules: TextRules, link: string): Fitted {
  const cost = COSTS[rules.limit.unit]
  // The limit includes the quotes of the JSON string.
  const max = rules.limit.unit === 'json-bytes' ? rules.limit.max - 2 : rules.limit.max
  // The provider with a limit on visible characters refuses invalid markup, so its short texts are corrected as well.
  const strict = rules.limit.unit === 'visible'
  if (!strict && cost.prefixWithin(text, max) === text.length) return { text, cut: false }
  const { pieces, ended } = collect(markupOf(rules)(text), cost, max)
  if (ended) return { text: pieces.map((piece) => piece.text).join('') + (pieces.at(-1)?.closers ?? ''), cut: false }
  return { text: cutText({ text, pieces, cost, max, ...cutNoticeOf(rules, link) }), cut: true }
}

function markupOf({ escaping, limit }: TextRules): PieceSplitter {
  if (escaping !== 'html') return splitFences(escaping)
  return limit.unit === 'visible' ? splitBotHtml : splitMailHtml
}

/** Collects pieces up to and including the one that exceeds `max`. `ended`: all pieces fit. */
function collect(source: Generator<Piece, void>, cost: Cost, max: number): { pieces: Piece[]; ended: boolean } {
  const pieces: Piece[] = []
  let used = 0
  for (const piece of source) {
    pieces.push(piece)
    used += cost.ofPiece(piece)
    if (used > max) return { pieces, ended: false }
  }
  return { pieces, ended: true }
}

interface CutJob extends CutNotice {
  readonly text: string
  readonly pieces: readonly Piece[]
  readonly cost: Cost
  readonly max: number
}

function cutText(job: CutJob): string {
  const { pieces, cost, max } = job
  const whole = pieces.map((piece) => piece.text).join('')
  const reserve = cost.of(`\n${job.notice(MAX_MISSING_BYTES)}`)
  const withNotice = reserve <= max
  let at = snapToGrapheme(whole, pieces, cutOffset(pieces, cost, withNotice ? max - reserve : max))
  let assembled = assemble(job, at, withNotice)
  // Moving back to a grapheme boundary may reopen a code fence and so need a closer.
  while (assembled.cost > max && at > 0) {
    at = snapToGrapheme(whole, pieces, at - 1)
    assembled = assemble(job, at, withNotice)
  }
  return assembled.text
}

/** Returns the largest offset in the text of the pieces up to which it fits into `room` with its markup closed. */
function cutOffset(pieces: readonly Piece[], cost: Cost, room: number): number {
  let used = 0
  let at = 0
  let closers = 0
  for (const piece of pieces) {
    const own = cost.ofPiece(piece)
    const closing = cost === COSTS.visible ? 0 : cost.of(piece.closers)
    if (used + own + closing > room)
      return piece.atomic ? at : at + cost.prefixWithin(piece.text, Math.max(0, room - used - closers))
    used += own
    at += piece.text.length
    closers = closing
  }
  return at
}

/** Returns the largest offset up to `at` that is between graphemes and not inside an atomic piece. */
function snapToGrapheme(whole: string, pieces: readonly Piece[], at: number): number {
  for (let offset = at; ; ) {
    const floor = graphemeFloor(whole, offset)
    const { piece, start } = pieceAt(pieces, floor)
    const next = piece?.atomic ? start : floor
    if (next === offset) return offset
    offset = next
  }
}

/** Returns the piece that contains the offset, the one before, and the start of the piece. */
function pieceAt(pieces: readonly Piece[], offset: number): { piece?: Piece; before?: Piece; start: number } {
  let start = 0
  let before: Piece | undefined
  for (const piece of pieces) {
    if (offset < start + piece.text.length) return { piece, ...(before && { before }), start }
    start += piece.text.length
    before = piece
  }
  return { ...(before && { before }), start }
}

function assemble(
  { text, pieces, cost, notice, keptClosers }: CutJob,
  at: number,
  withNotice: boolean,
): { text: string; cost: number } {
  const { piece, before, start } = pieceAt(pieces, at)
  const inside = at > start
  const kept = pieces.slice(0, before ? pieces.indexOf(before) + 1 : 0)
  const part = inside && piece ? piece.text.slice(0, at - start) : ''
  const closers = (inside ? piece?.closers : before?.closers) ?? ''
  const outer = keptClosers.exec(closers)?.[0] ?? ''
  const inner = closers.slice(0, closers.length - outer.length)
  const body = kept.map((each) => each.text).join('') + part + inner
  const missing = Buffer.byteLength(text.slice((piece?.sourceOffset ?? text.length) + (at - start)))
  const last = withNotice ? `${body === '' || body.endsWith('\n') ? '' : '\n'}${notice(missing)}` : ''
  const seen = kept.reduce((sum, each) => sum + cost.ofPiece(each), 0) + cost.of(part) + cost.of(last)
  return { text: body + last + outer, cost: seen + (cost === COSTS.visible ? 0 : cost.of(closers)) }
}

/** The last line of a text that was cut. */
interface CutNotice {
  /** Returns the line, given the number of missing bytes. */
  notice(bytes: number): string
  /** Matches the closing tags that follow the line instead of preceding it. */
  readonly keptClosers: RegExp
}

/** The missing size with the longest text; used to reserve room for the line. */
const MAX_MISSING_BYTES = 999_999_999

const NO_FRAME = /$/
/** Closing tags of an HTML document. */
const DOCUMENT = /(?:<\/body>)?(?:<\/html>)?$/

function cutNoticeOf({ escaping, limit }: TextRules, link: string): CutNotice {
  const where = escaping === 'html' || escaping === 'chat' ? ESCAPERS.chat.escape(link) : link
  const notice = (bytes: number) => `… cut, ${size(bytes)} more: ${where}`
  const mail = escaping === 'html' && limit.unit !== 'visible'
  return mail
    ? { notice: (bytes) => `<p>${notice(bytes)}</p>`, keptClosers: DOCUMENT }
    : { notice, keptClosers: NO_FRAME }
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
