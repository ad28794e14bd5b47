import { BLANK, CHAR_CLASSES, charClassOf, DIGIT, LETTER, SEPARATOR } from './char-classes.ts'
import { hostAfterTimestamp } from './date-words.ts'
import { kindOfPiece, NUMBERED_WORD, PUNCTUATION, UNIT, VALUE, WORD } from './piece-kind.ts'
import { DIGITS, indexEnd, newScannedPiece, type ScannedPiece, scanPiece, wildcardEnd } from './piece-scanner.ts'
import { threadNameEnd } from './thread-names.ts'
import { isEmptyPair, isEmptyValue, isValuePlace, isWordField, mayBeValue } from './value-places.ts'
import { isLevel } from './word-classes.ts'

/** Units of a key that cannot occur in a word, because control characters are blanks. */
const TOKEN_END = 0
const VALUE_RUN = 1

/**
 * The rest of a longer line is not read. A template may be twice as long, because a wildcard is longer than a digit.
 */
const MAX_LINE_LENGTH = 4_096
const MAX_TEMPLATE_LENGTH = 2 * MAX_LINE_LENGTH
const MAX_TOKENS = 128

/** Brackets after this number of tokens hold no name of a thread. */
const MAX_HEADER_TOKENS = 6

const LESS = 60
const BRACKET = 91
const DASH = 45
const DOT = 46
const ESCAPE = 27
const NEWLINE = 10
const SPACE = 32

/** Most characters between the name of a field and its value, as in `"state": "ready"`. */
const MAX_NAME_GAP = 4

const PRIME = 0x01000193

/**
 * Cuts a line into pieces and tokens in one pass.
 * - piece: a word or a value, as written in the text.
 * - token: a word with its digits masked, or a run of consecutive values.
 *
 * One object is used for all lines, without allocations; its fields describe the text read last.
 */
export class Tokenizer {
  text = ''
  /** Index where reading ended. */
  end = 0
  /**
   * The tokens, each followed by `TOKEN_END`; a run of values is `VALUE_RUN`. Equal for lines that differ only in
   * values.
   */
  readonly key = new Uint16Array(2 * MAX_TEMPLATE_LENGTH + 2)
  keyLength = 0
  keyHash = 0
  tokenCount = 0
  /** Start of each token in `key`. */
  readonly tokenOffsets = new Int32Array(MAX_TOKENS + 1)
  /** Hash of the separators, the values in runs, and the digits of words: differs among lines with the same key. */
  shape = 0
  /** Number of pieces. A run of values has several. */
  pieceCount = 0
  readonly starts = new Int32Array(MAX_TEMPLATE_LENGTH)
  readonly ends = new Int32Array(MAX_TEMPLATE_LENGTH)
  readonly kinds = new Uint8Array(MAX_TEMPLATE_LENGTH)
  /** Index of the token that each piece belongs to. */
  readonly tokenOfPiece = new Int32Array(MAX_TEMPLATE_LENGTH)

  /** Index of the first piece of each token. */
  readonly #firstPieces = new Int32Array(MAX_TOKENS)
  readonly #piece = newScannedPiece()
  #limit = 0
  #afterValue = false
  #lastNumberedWord = -1
  #host = -1

  readLine(text: string): void {
    this.#read(text, Math.min(text.length, MAX_LINE_LENGTH))
  }

  readTemplate(text: string): void {
    this.#read(text, Math.min(text.length, MAX_TEMPLATE_LENGTH))
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
        this.#mix(SPACE)
        blank = false
      }
      if (charClass === SEPARATOR && !(unit === LESS && wildcardEnd(this.text, at) > 0)) {
        this.#mix(unit)
        at = unit === BRACKET && this.tokenCount <= MAX_HEADER_TOKENS ? this.#afterBracket(at) : at + 1
        if (isEmptyPair(text, at - 1)) this.#addValue(at, at, VALUE)
      } else at = this.#readPiece(at, unit)
    }
    this.end = at
    this.#hash()
  }

  /** Returns a word with its digits masked; undefined for a run of values. */
  word(index: number): string | undefined {
    const from = this.tokenOffsets[index] as number
    if (this.key[from] === VALUE_RUN) return undefined
    const piece = this.#firstPieces[index] as number
    if (this.kinds[piece] === WORD) return this.text.slice(this.starts[piece], this.ends[piece])
    return String.fromCharCode(...this.key.subarray(from, (this.tokenOffsets[index + 1] as number) - 1))
  }

  /** Returns all tokens: words, and undefined for each run of values. */
  words(): (string | undefined)[] {
    return Array.from({ length: this.tokenCount }, (_, index) => this.word(index))
  }

  keyText(): string {
    return String.fromCharCode(...this.key.subarray(0, this.keyLength))
  }

  #reset(text: string, limit: number): void {
    this.text = text
    this.keyLength = 0
    this.tokenCount = 0
    this.shape = 0
    this.pieceCount = 0
    this.#limit = limit
    this.#afterValue = false
    this.#lastNumberedWord = -1
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
    const afterLevel = afterWord && isLevel(this.text.slice(this.starts[last], this.ends[last]))
    const end = threadNameEnd(this.text, at, afterLevel) - 1
    if (end < 0) return at + 1
    this.#addValue(at + 1, end, VALUE)
    return end
  }

  #readPiece(start: number, first: number): number {
    if (start === this.#host) {
      const end = this.text.indexOf(' ', start)
      this.#addValue(start, end, VALUE)
      return end
    }
    const offset = this.keyLength
    const { text } = this
    const token = this.#piece
    this.keyLength = scanPiece(text, start, this.#limit, this.key, offset, token)
    if (token.end === start) return this.#skipDots(start)
    const kind = this.#kindInPlace(kindOfPiece(text, token, first, this.#afterValue))
    if (kind === PUNCTUATION) {
      this.keyLength = offset
      for (let i = start; i < token.end; i++) this.#mix(text.charCodeAt(i))
    } else if (kind === WORD || kind === NUMBERED_WORD) this.#addWord(offset, kind)
    else {
      this.keyLength = offset
      this.#addValue(start, token.end, kind)
      if (token.digitRuns === 0 && token.end - start === 3) this.#host = hostAfterTimestamp(text, start)
    }
    return token.end
  }

  /** Returns the kind of a piece where it stands: words in places of values are values. Adds a number to its name. */
  #kindInPlace(kind: number): number {
    const { text } = this
    const piece = this.#piece
    if (kind === PUNCTUATION) return isDash(text, piece) && isEmptyValue(text, piece.start) ? VALUE : kind
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
    this.#mix(DOT)
    return at
  }

  #addValue(start: number, end: number, kind: number): void {
    if (kind === UNIT) for (let i = start; i < end; i++) this.#mix(this.text.charCodeAt(i))
    else this.#mix(VALUE_RUN)
    if (!this.#afterValue) {
      this.key[this.keyLength++] = VALUE_RUN
      this.key[this.keyLength++] = TOKEN_END
      this.tokenOffsets[++this.tokenCount] = this.keyLength
    }
    this.#afterValue = true
    this.#lastNumberedWord = -1
    this.#addPiece(start, end, kind)
  }

  /** Adds a word. A masked word equal to the one before it joins the same token. */
  #addWord(offset: number, kind: number): void {
    const { start, end } = this.#piece
    this.key[this.keyLength++] = TOKEN_END
    if (kind === NUMBERED_WORD) {
      for (let i = start; i < end; i++)
        if (charClassOf(this.text.charCodeAt(i)) === DIGIT) this.#mix(this.text.charCodeAt(i))
    }
    if (kind === NUMBERED_WORD && this.#repeats(offset)) this.keyLength = offset
    else this.tokenOffsets[++this.tokenCount] = this.keyLength
    this.#lastNumberedWord = kind === NUMBERED_WORD ? (this.tokenOffsets[this.tokenCount - 1] as number) : -1
    this.#afterValue = false
    this.#addPiece(start, end, kind)
  }

  #repeats(offset: number): boolean {
    const last = this.#lastNumberedWord
    if (last < 0 || this.keyLength - offset !== offset - last) return false
    for (let i = 0; i < offset - last; i++) if (this.key[last + i] !== this.key[offset + i]) return false
    return true
  }

  #addPiece(start: number, end: number, kind: number): void {
    const piece = this.pieceCount++
    this.starts[piece] = start
    this.ends[piece] = end
    this.kinds[piece] = kind
    const index = this.tokenCount - 1
    this.tokenOfPiece[piece] = index
    if (piece === 0 || this.tokenOfPiece[piece - 1] !== index) this.#firstPieces[index] = piece
  }
}

const isDash = (text: string, { start, end }: ScannedPiece) => end === start + 1 && text.charCodeAt(start) === DASH
