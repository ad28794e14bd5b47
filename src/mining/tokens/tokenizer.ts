import { BLANK, CHAR_CLASSES, charClassOf, LETTER, SEPARATOR } from './char-classes.ts'
import { hostAfterTimestamp } from './date-words.ts'
import { kindOfPiece, NUMBERED_WORD, PUNCTUATION, VALUE, WORD } from './piece-kind.ts'
import { DIGITS, indexEnd, newScannedPiece, type ScannedPiece, scanPiece, wildcardEnd } from './piece-scanner.ts'
import { frameEndAfterAt, frameEndAfterMethod } from './stack-frames.ts'
import { threadNameEnd } from './thread-names.ts'
import { MAX_TEXT_LENGTH, MAX_TOKENS, TokenList } from './token-list.ts'
import { isEmptyPair, isEmptyValue, isValuePlace, isWordField, mayBeValue, opensValue } from './value-places.ts'
import { isLevel, MAX_LEVEL_LENGTH } from './word-classes.ts'

/** The rest of a longer line is not read. */
const MAX_LINE_LENGTH = MAX_TEXT_LENGTH / 2
/** Brackets after this number of tokens hold no name of a thread. */
const MAX_HEADER_TOKENS = 6

const LESS = 60
const ROUND = 40
const BRACKET = 91
const CLOSING_BRACKET = 93
const A = 97
const T = 116
const DASH = 45
const DOT = 46
const ESCAPE = 27
const NEWLINE = 10
const SPACE = 32

/** Most characters between the name of a field and its value, as in `"state": "ready"`. */
const MAX_NAME_GAP = 4

/**
 * Cuts a line into pieces and tokens in one pass.
 * - piece: a word or a value, as written in the text.
 * - token: a word with its digits masked, or a run of consecutive values.
 *
 * One object is used for all lines, without allocations; its fields describe the text read last.
 */
export class Tokenizer extends TokenList {
  readonly #piece = newScannedPiece()
  #limit = 0
  #host = -1
  /** Index after the word `at` and a blank. */
  #afterAt = -1

  readLine(text: string): void {
    this.#read(text, Math.min(text.length, MAX_LINE_LENGTH))
  }

  readTemplate(text: string): void {
    this.#read(text, Math.min(text.length, MAX_TEXT_LENGTH))
  }

  #read(text: string, limit: number): void {
    this.#reset(text, limit)
    let at = 0
    let blank = true
    while (at < limit && this.tokenCount < MAX_TOKENS) {
      const unit = text.charCodeAt(at)
      const charClass = unit < 128 ? (CHAR_CLASSES[unit] as number) : LETTER
      if (charClass === BLANK) {
        at = unit > ESCAPE ? at + 1 : this.#afterControl(unit, at)
        blank = true
        continue
      }
      if (blank) {
        this.mix(SPACE)
        blank = false
      }
      if (charClass === SEPARATOR && !(unit === LESS && wildcardEnd(this.text, at) > 0)) {
        this.mix(unit)
        const next = text.charCodeAt(at + 1)
        if ((next === unit || next === CLOSING_BRACKET) && isEmptyPair(text, at)) this.addValue(at + 1, at + 1, VALUE)
        at = unit === BRACKET && this.tokenCount <= MAX_HEADER_TOKENS ? this.#afterBracket(at) : at + 1
      } else at = this.#readPiece(at, unit)
    }
    this.end = at
    this.hash()
  }

  #reset(text: string, limit: number): void {
    this.clear(text)
    this.#limit = limit
    this.#host = -1
    this.#afterAt = -1
  }

  /** Returns the index after a colour code, or after indented continuation lines. */
  #afterControl(unit: number, at: number): number {
    const { text } = this
    if (unit === ESCAPE && text[at + 1] === '[') {
      let end = at + 2
      while (end < this.#limit && !(text.charCodeAt(end) >= 64 && text.charCodeAt(end) <= 126)) end++
      return end + 1
    }
    if (unit !== NEWLINE || charClassOf(text.charCodeAt(at + 1)) !== BLANK) return at + 1
    const next = text.indexOf('\n', at + 1)
    return next < 0 ? this.#limit : next
  }

  /** Returns the index after a bracket in the header; a thread's name in it is read as a value. */
  #afterBracket(at: number): number {
    const last = this.pieceCount - 1
    const afterWord = last >= 0 && this.kinds[last] === WORD
    const short = afterWord && (this.ends[last] as number) - (this.starts[last] as number) <= MAX_LEVEL_LENGTH
    const afterLevel = short && isLevel(this.text.slice(this.starts[last], this.ends[last]))
    const end = threadNameEnd(this.text, at, afterLevel) - 1
    return end < 0 ? at + 1 : this.#readValue(at + 1, end)
  }

  #readPiece(start: number, first: number): number {
    const { text } = this
    if (start === this.#host) return this.#readValue(start, text.indexOf(' ', start))
    if (start === this.#afterAt) {
      const end = frameEndAfterAt(text, start)
      if (end > 0) return this.#readValue(start, end)
    }
    const offset = this.keyLength
    const token = this.#piece
    this.keyLength = scanPiece(text, start, this.#limit, this.key, offset, token)
    if (token.end === start) return this.#skipDots(start)
    let kind = kindOfPiece(text, token, first, this.afterValue)
    if (kind === WORD || kind === NUMBERED_WORD) {
      const next = text.charCodeAt(token.end)
      // Most words stand between blanks, where nothing changes their kind.
      if (next === ROUND || next === BRACKET || opensValue(text, start)) kind = this.#kindInPlace(kind)
      else if (first === A && token.end === start + 2 && text.charCodeAt(start + 1) === T) this.#afterAt = token.end + 1
    } else if (kind === PUNCTUATION ? first === DASH : token.dots > 0 && text.charCodeAt(token.end) === ROUND)
      kind = this.#kindInPlace(kind)
    if (kind === PUNCTUATION) {
      this.keyLength = offset
      for (let i = start; i < token.end; i++) this.mix(text.charCodeAt(i))
    } else if (kind === WORD || kind === NUMBERED_WORD) this.addWord(offset, kind, token)
    else {
      this.keyLength = offset
      this.addValue(start, token.end, kind)
      if (token.digitRuns === 0 && token.end - start === 3) this.#host = hostAfterTimestamp(text, start)
    }
    return token.end
  }

  #readValue(start: number, end: number): number {
    this.addValue(start, end, VALUE)
    return end
  }

  /** Returns the kind of a piece where it stands: words in places of values are values. Adds a number to its name. */
  #kindInPlace(kind: number): number {
    const { text } = this
    const piece = this.#piece
    if (kind === PUNCTUATION) return isDash(text, piece) && isEmptyValue(text, piece.start) ? VALUE : kind
    const frame = piece.dots > 0 ? frameEndAfterMethod(text, piece.end) : 0
    if (frame > 0) {
      piece.end = frame
      return VALUE
    }
    if (kind !== WORD && kind !== NUMBERED_WORD) return kind
    const indexed = indexEnd(text, piece.end)
    if (indexed > 0) this.#addIndex(indexed)
    if (isValuePlace(text, piece.start, piece.end) && this.#isValue(piece.start, piece.end)) return VALUE
    return indexed > 0 ? NUMBERED_WORD : kind
  }

  #addIndex(end: number): void {
    const piece = this.#piece
    this.key[this.keyLength++] = this.text.charCodeAt(piece.end)
    this.key[this.keyLength++] = DIGITS
    this.key[this.keyLength++] = this.text.charCodeAt(end - 1)
    piece.end = end
  }

  #isValue(start: number, end: number): boolean {
    const last = this.pieceCount - 1
    const name = last >= 0 && this.kinds[last] === WORD && start - (this.ends[last] as number) <= MAX_NAME_GAP
    if (name && isWordField(this.text.slice(this.starts[last], this.ends[last]))) return false
    return mayBeValue(this.text.slice(start, end))
  }

  /** Skips dots that separate pieces. */
  #skipDots(start: number): number {
    let at = start
    while (at < this.#limit && this.text.charCodeAt(at) === DOT) at++
    this.mix(DOT)
    return at
  }
}

const isDash = (text: string, { start, end }: ScannedPiece) => end === start + 1 && text.charCodeAt(start) === DASH
