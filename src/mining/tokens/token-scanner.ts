import { BLANK, DIGIT, KINDS, kindOf, LETTER, SEPARATOR } from './char-classes.ts'
import { hostAfterStamp } from './date-words.ts'
import { classify, MARKS, PART, UNIT, VALUE, WORD } from './token.ts'
import { holeEnd, measure, newToken } from './tokenizer.ts'

/** Units of a key that no text can hold, since the scanner takes control characters for blanks. */
export const NEXT = 0
export const ANY = 1

/** Of a line, what lies further is not read; a template may be twice as long, for a hole is longer than a digit. */
const LINE_LENGTH = 4_096
const MAX_LENGTH = 2 * LINE_LENGTH
const MAX_COLUMNS = 128

const LESS = 60
const DOT = 46
const ESCAPE = 27
const NEWLINE = 10
const SPACE = 32

const PRIME = 0x01000193

/**
 * A line cut into columns, in one pass: a column is a word with its digits masked, or a run of values. Made once and used line after line;
 * what it holds is of the last text read.
 */
export class Scan {
  text = ''
  /** Where reading ended. */
  end = 0
  /** Spelling of the columns, each ended by `NEXT`: equal for lines of one pattern. */
  readonly key = new Uint16Array(2 * MAX_LENGTH + 2)
  keyLength = 0
  keyHash = 0
  columns = 0
  /** Where each column begins in `key`. */
  readonly offsets = new Int32Array(MAX_COLUMNS + 1)
  /** Differs when values or separators are arranged differently under one key. */
  shape = 0
  /** The tokens of the text, several to a column where values follow each other. */
  pieces = 0
  readonly starts = new Int32Array(MAX_LENGTH)
  readonly ends = new Int32Array(MAX_LENGTH)
  readonly kinds = new Uint8Array(MAX_LENGTH)
  /** Column of each piece. */
  readonly places = new Int32Array(MAX_LENGTH)

  /** The first piece of each column. */
  readonly #firsts = new Int32Array(MAX_COLUMNS)
  readonly #token = newToken()
  #limit = 0
  #afterValue = false
  #lastPart = -1
  #host = -1

  readLine(text: string): void {
    this.#read(text, Math.min(text.length, LINE_LENGTH))
  }

  readTemplate(text: string): void {
    this.#read(text, Math.min(text.length, MAX_LENGTH))
  }

  #read(text: string, limit: number): void {
    this.#reset(text, limit)
    let at = 0
    let blank = true
    while (at < limit && this.columns < MAX_COLUMNS) {
      const unit = text.charCodeAt(at)
      const kind = unit < 128 ? (KINDS[unit] as number) : LETTER
      if (kind === BLANK) {
        at = unit > ESCAPE ? at + 1 : this.#afterControl(unit, at)
        blank = true
        continue
      }
      if (blank) {
        this.#mix(SPACE)
        blank = false
      }
      if (kind === SEPARATOR && !(unit === LESS && holeEnd(this.text, at) > 0)) {
        this.#mix(unit)
        at++
      } else at = this.#readToken(at, unit)
    }
    this.end = at
    this.#hash()
  }

  /** Spelling of a column with its digits masked; undefined for a run of values. */
  word(column: number): string | undefined {
    const from = this.offsets[column] as number
    if (this.key[from] === ANY) return undefined
    const piece = this.#firsts[column] as number
    if (this.kinds[piece] === WORD) return this.text.slice(this.starts[piece], this.ends[piece])
    return String.fromCharCode(...this.key.subarray(from, (this.offsets[column + 1] as number) - 1))
  }

  /** Spelling of all columns; undefined for runs. */
  words(): (string | undefined)[] {
    return Array.from({ length: this.columns }, (_, column) => this.word(column))
  }

  keyText(): string {
    return String.fromCharCode(...this.key.subarray(0, this.keyLength))
  }

  #reset(text: string, limit: number): void {
    this.text = text
    this.keyLength = 0
    this.columns = 0
    this.shape = 0
    this.pieces = 0
    this.#limit = limit
    this.#afterValue = false
    this.#lastPart = -1
    this.#host = -1
  }

  #mix(unit: number): void {
    this.shape = Math.imul(this.shape ^ unit, PRIME)
  }

  #hash(): void {
    const { key, keyLength } = this
    let hash = 0x811c9dc5
    for (let i = 0; i < keyLength; i++) hash = Math.imul(hash ^ (key[i] as number), PRIME)
    this.keyHash = hash ^ (hash >>> 15)
  }

  /** Past a colour sequence, or past the lines that continue this one: those that are indented. */
  #afterControl(unit: number, at: number): number {
    const { text } = this
    if (unit === ESCAPE && text[at + 1] === '[') {
      let end = at + 2
      while (end < this.#limit && !(text.charCodeAt(end) >= 64 && text.charCodeAt(end) <= 126)) end++
      return end + 1
    }
    if (unit !== NEWLINE || kindOf(text.charCodeAt(at + 1)) !== BLANK) return at + 1
    const next = text.indexOf('\n', at + 1)
    return next < 0 ? this.#limit : next
  }

  #readToken(start: number, first: number): number {
    if (start === this.#host) {
      const end = this.text.indexOf(' ', start)
      this.#value(start, end, VALUE)
      return end
    }
    const offset = this.keyLength
    const { text } = this
    const token = this.#token
    this.keyLength = measure(text, start, this.#limit, this.key, offset, token)
    if (token.end === start) return this.#skipDots(start)
    const kind = classify(text, token, first, this.#afterValue)
    if (kind === MARKS) {
      this.keyLength = offset
      for (let i = start; i < token.end; i++) this.#mix(text.charCodeAt(i))
    } else if (kind === WORD || kind === PART) this.#word(offset, kind)
    else {
      this.keyLength = offset
      this.#value(start, token.end, kind)
      if (token.runs === 0 && token.end - start === 3) this.#host = hostAfterStamp(text, start)
    }
    return token.end
  }

  /** Leaders and ellipses separate. */
  #skipDots(start: number): number {
    let at = start
    while (at < this.#limit && this.text.charCodeAt(at) === DOT) at++
    this.#mix(DOT)
    return at
  }

  #value(start: number, end: number, kind: number): void {
    if (kind === UNIT) for (let i = start; i < end; i++) this.#mix(this.text.charCodeAt(i))
    else this.#mix(ANY)
    if (!this.#afterValue) {
      this.key[this.keyLength++] = ANY
      this.key[this.keyLength++] = NEXT
      this.offsets[++this.columns] = this.keyLength
    }
    this.#afterValue = true
    this.#lastPart = -1
    this.#piece(start, end, kind)
  }

  /** A word of its own, unless it repeats the masked one before it. */
  #word(offset: number, kind: number): void {
    const { start, end } = this.#token
    this.key[this.keyLength++] = NEXT
    if (kind === PART) {
      for (let i = start; i < end; i++)
        if (kindOf(this.text.charCodeAt(i)) === DIGIT) this.#mix(this.text.charCodeAt(i))
    }
    if (kind === PART && this.#repeats(offset)) this.keyLength = offset
    else this.offsets[++this.columns] = this.keyLength
    this.#lastPart = kind === PART ? (this.offsets[this.columns - 1] as number) : -1
    this.#afterValue = false
    this.#piece(start, end, kind)
  }

  #repeats(offset: number): boolean {
    const last = this.#lastPart
    if (last < 0 || this.keyLength - offset !== offset - last) return false
    for (let i = 0; i < offset - last; i++) if (this.key[last + i] !== this.key[offset + i]) return false
    return true
  }

  #piece(start: number, end: number, kind: number): void {
    const piece = this.pieces++
    this.starts[piece] = start
    this.ends[piece] = end
    this.kinds[piece] = kind
    const place = this.columns - 1
    this.places[piece] = place
    if (piece === 0 || this.places[piece - 1] !== place) this.#firsts[place] = piece
  }
}
