import { CHAR_CLASSES, charClassOf, DIGIT, isDigit, LETTER, MARK } from './char-classes.ts'

/** Unit of a key that replaces a run of digits. */
export const DIGITS = 2

/** Position of a piece, and counts of its characters. */
export interface ScannedPiece {
  start: number
  end: number
  letters: number
  /** Number of runs of digits; a wildcard counts as a digit. */
  digitRuns: number
  slashes: number
  ats: number
  dots: number
  /** Number of wildcards. */
  wildcards: number
}

const ROUND = 40
const DASH = 45
const DOT = 46
const SLASH = 47
const LESS = 60
const AT = 64
const SQUARE = 91
const MAX_REDACTED_LENGTH = 64

export const newScannedPiece = (): ScannedPiece => ({
  start: 0,
  end: 0,
  letters: 0,
  digitRuns: 0,
  slashes: 0,
  ats: 0,
  dots: 0,
  wildcards: 0,
})

/**
 * Scans the piece at `start`. Writes it, with runs of digits masked, to `key` from index `length` on, and returns the
 * index after it. This is the inner loop of mining: one long function with local counters, for speed.
 */
export function scanPiece(
  text: string,
  start: number,
  limit: number,
  key: Uint16Array,
  length: number,
  piece: ScannedPiece,
): number {
  let letters = 0
  let runs = 0
  let slashes = 0
  let ats = 0
  let dots = 0
  let wildcards = 0
  let digits = false
  let written = length
  let at = start
  while (at < limit) {
    const unit = text.charCodeAt(at)
    const kind = unit < 128 ? (CHAR_CLASSES[unit] as number) : LETTER
    if (kind === LETTER) {
      letters++
      key[written++] = unit
      digits = false
      at++
      continue
    }
    if (kind === MARK) {
      if (unit === DOT) {
        if (isLeader(text, at)) break
        dots++
      } else if (unit === SLASH) slashes++
      else if (unit === AT) ats++
      else if (unit === DASH && isSign(text, at, start)) {
        at++
        continue
      }
      key[written++] = unit
      digits = false
      at++
      continue
    }
    let after = at + 1
    if (kind !== DIGIT) {
      after = unit === LESS ? wildcardEnd(text, at) : 0
      if (after === 0) break
      wildcards++
    }
    if (!digits) {
      key[written++] = DIGITS
      runs++
      digits = true
    }
    at = after
  }
  piece.start = start
  piece.end = at
  piece.letters = letters
  piece.digitRuns = runs
  piece.slashes = slashes
  piece.ats = ats
  piece.dots = dots
  piece.wildcards = wildcards
  return written
}

/** Returns the index after `<*>` or `<REDACTED:kind>` at `at`; 0 when there is none. Both replace a value. */
export function wildcardEnd(text: string, at: number): number {
  if (text.startsWith('*>', at + 1)) return at + 3
  if (!text.startsWith('REDACTED', at + 1)) return 0
  const length = text.slice(at, at + MAX_REDACTED_LENGTH).indexOf('>') + 1
  return length > 0 ? at + length : 0
}

/**
 * Returns the index after a number in brackets that directly follows a name, as in `cron[4711]` and `pool(3)`; 0 when
 * there is none at `at`.
 */
export function indexEnd(text: string, at: number): number {
  const opening = text.charCodeAt(at)
  if (opening !== ROUND && opening !== SQUARE) return 0
  let end = at + 1
  while (isDigit(text.charCodeAt(end))) end++
  if (end === at + 1) end = text.charCodeAt(end) === LESS ? wildcardEnd(text, end) : 0
  return end > 0 && text.charCodeAt(end) === (opening === ROUND ? ROUND + 1 : SQUARE + 2) ? end + 1 : 0
}

/** Returns whether three dots begin at `at`; they separate pieces. */
function isLeader(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === DOT && text.charCodeAt(at + 2) === DOT
}

/** Returns whether the dash at `at` is the sign of a number, as in `blk_-17`. */
function isSign(text: string, at: number, start: number): boolean {
  return at > start && charClassOf(text.charCodeAt(at + 1)) === DIGIT && charClassOf(text.charCodeAt(at - 1)) === MARK
}
