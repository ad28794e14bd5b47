import { charClassOf, DIGIT, isDigit, isHex, MARK } from './char-classes.ts'
import { isDateWord } from './date-words.ts'
import type { ScannedPiece } from './piece-scanner.ts'
import { delimiterAfter, isHost, isMailbox, valueEndAtColon } from './value-shapes.ts'

/**
 * Kinds of pieces: a value, the unit of the value before it, a word, a word with digits (its digits are masked), and
 * punctuation alone.
 */
export const VALUE = 0
export const UNIT = 1
export const WORD = 2
export const NUMBERED_WORD = 3
export const PUNCTUATION = 4

const DASH = 45
const SLASH = 47
const EQUALS = 61
const COLON = 58
const BACKSLASH = 92
const MIN_HEX_LENGTH = 6

/** Returns the kind of a piece. Moves its end forward where a value contains separators, as in `http://host/path`. */
export function kindOfPiece(text: string, piece: ScannedPiece, first: number, afterValue: boolean): number {
  const { start, end, letters, digitRuns } = piece
  const next = text.charCodeAt(end)
  if (next === COLON && piece.wildcards === 0) {
    const stop = valueEndAtColon(text, start, end)
    if (stop > 0) return extend(text, piece, stop)
  }
  if (first === SLASH && end > start + 1)
    return next === EQUALS ? extend(text, piece, delimiterAfter(text, end)) : VALUE
  if (letters === 0) return digitRuns > 0 ? VALUE : PUNCTUATION
  if (piece.slashes >= 2 || (first === BACKSLASH && text.charCodeAt(start + 1) === BACKSLASH)) return VALUE
  if (piece.ats > 0 && isMailbox(text, start, end)) return VALUE
  if (digitRuns > 0) return isVariable(text, piece, first) ? VALUE : NUMBERED_WORD
  if (piece.dots > 0 && isHost(text, start, end, false)) return VALUE
  if (isDateWord(text, start, end, afterValue) || isLiteral(text, start, end)) return VALUE
  return afterValue && isUnit(text, start, end) ? UNIT : WORD
}

function extend(text: string, piece: ScannedPiece, stop: number): number {
  let end = stop
  while (charClassOf(text.charCodeAt(end)) >= 2) end++
  piece.end = end
  return VALUE
}

/**
 * Tells values from names with digits such as `eth0`: a leading number, several numbers, hex and host names are values.
 */
function isVariable(text: string, piece: ScannedPiece, first: number): boolean {
  const { start, end, digitRuns } = piece
  if (piece.wildcards > 0) return digitRuns > 1 || isHost(text, start, end, true)
  if (digitRuns >= 2 || isDigit(first)) return true
  if (charClassOf(first) === MARK && charClassOf(text.charCodeAt(start + 1)) === DIGIT) return true
  if (end - start >= MIN_HEX_LENGTH && isHexWord(text, start, end)) return true
  return piece.dots > 0 && isHost(text, start, end, true)
}

/** Tells texts of hex digits and dashes. */
function isHexWord(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (!isHex(unit) && unit !== DASH) return false
  }
  return true
}

const UNITS = new Set(
  'b byte bytes kb mb gb tb pb kib mib gib tib ns us ms s sec secs second seconds min mins minute minutes h hr hrs hour hours d day days msec usec millis milliseconds microseconds nanoseconds hz khz mhz ghz bps kbps mbps gbps b/s kb/s mb/s gb/s'.split(
    ' ',
  ),
)
const MAX_UNIT_LENGTH = 13
/** 1 for the first letters of units, and for their last characters, by ASCII code. */
const UNIT_INITIALS = tableOf(Array.from(UNITS, (unit) => unit.charAt(0)))
const UNIT_FINALS = tableOf(['.', ...Array.from(UNITS, (unit) => unit.slice(-1))])
const LOWER = 32

/** Tells units of measure. They count as part of the value, because a unit depends on the size of the number. */
function isUnit(text: string, start: number, end: number): boolean {
  if (end - start > MAX_UNIT_LENGTH || UNIT_INITIALS[(text.charCodeAt(start) | LOWER) & 127] === 0) return false
  if (UNIT_FINALS[(text.charCodeAt(end - 1) | LOWER) & 127] === 0) return false
  const word = text.slice(start, end).toLowerCase()
  return UNITS.has(word.endsWith('.') ? word.slice(0, -1) : word)
}

function tableOf(characters: readonly string[]): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => Number(characters.includes(String.fromCharCode(code))))
}

const LITERALS = new Set(['true', 'false', 'null', 'nil'])
const E = 101
const F = 102
const L = 108
const N = 110
const T = 116

/** Tells `true`, `false`, `null` and `nil`. */
function isLiteral(text: string, start: number, end: number): boolean {
  if (end - start < 3 || end - start > 5) return false
  const initial = text.charCodeAt(start) | LOWER
  if (initial !== T && initial !== F && initial !== N) return false
  const final = text.charCodeAt(end - 1) | LOWER
  if (final !== E && final !== L) return false
  return LITERALS.has(text.slice(start, end).toLowerCase())
}
