import { charClassOf, DIGIT } from './char-classes.ts'
import { NUMBERED_WORD, UNIT, WORD } from './piece-kind.ts'
import type { ScannedPiece } from './piece-scanner.ts'

/** Units of a key that cannot occur in a word, because control characters are blanks. */
const TOKEN_END = 0
const VALUE_RUN = 1

/** A template may be twice as long as a line, because a wildcard is longer than a digit. */
export const MAX_TEXT_LENGTH = 8_192
export const MAX_TOKENS = 128

/** Most tokens of a group whose repetitions in a row count as one, as in `disk 1 at 7 %, disk 2 at 8 %`. */
const MAX_GROUP = 4
/** Index far before the first token. */
const FAR_BEFORE = -100

const PRIME = 0x01000193

/** The tokens and pieces of a text, in arrays that are used for all texts. */
export class TokenList {
  text = ''
  /** Index where reading ended. */
  end = 0
  /**
   * The tokens, each followed by `TOKEN_END`; a run of values is `VALUE_RUN`. Equal for lines that differ only in
   * values.
   */
  readonly key = new Uint16Array(2 * MAX_TEXT_LENGTH + 2)
  keyLength = 0
  keyHash = 0
  tokenCount = 0
  /** Start of each token in `key`. */
  readonly tokenOffsets = new Int32Array(MAX_TOKENS + 1)
  /** Hash of the separators, the values in runs, and the digits of words: differs among lines with the same key. */
  shape = 0
  /** Number of pieces. A run of values has several. */
  pieceCount = 0
  readonly starts = new Int32Array(MAX_TEXT_LENGTH)
  readonly ends = new Int32Array(MAX_TEXT_LENGTH)
  readonly kinds = new Uint8Array(MAX_TEXT_LENGTH)
  /** Index of the token that each piece belongs to. */
  readonly tokenOfPiece = new Int32Array(MAX_TEXT_LENGTH)

  /** Index of the first piece of each token. */
  readonly #firstPieces = new Int32Array(MAX_TOKENS)
  protected afterValue = false
  #lastNumberedWord = -1
  /** Indexes of the last runs of values. */
  #lastValue = FAR_BEFORE
  #valueBefore = 2 * FAR_BEFORE

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

  protected clear(text: string): void {
    this.text = text
    this.keyLength = 0
    this.tokenCount = 0
    this.shape = 0
    this.pieceCount = 0
    this.afterValue = false
    this.#lastNumberedWord = -1
    this.#lastValue = FAR_BEFORE
    this.#valueBefore = 2 * FAR_BEFORE
  }

  protected mix(unit: number): void {
    this.shape = Math.imul(this.shape ^ unit, PRIME)
  }

  protected hash(): void {
    const { key, keyLength } = this
    key[keyLength] = TOKEN_END
    let even = 0x811c9dc5
    let odd = keyLength
    // Two chains of multiplications take half the time, because each step waits for the one before.
    for (let i = 0; i < keyLength; i += 2) {
      even = Math.imul(even ^ (key[i] as number), PRIME)
      odd = Math.imul(odd ^ (key[i + 1] as number), PRIME)
    }
    const hash = Math.imul(even ^ (even >>> 15), PRIME) ^ odd
    this.keyHash = hash ^ (hash >>> 15)
  }

  protected addValue(start: number, end: number, kind: number): void {
    if (kind === UNIT) for (let i = start; i < end; i++) this.mix(this.text.charCodeAt(i))
    else this.mix(VALUE_RUN)
    if (!this.afterValue) {
      this.key[this.keyLength++] = VALUE_RUN
      this.key[this.keyLength++] = TOKEN_END
      this.#valueBefore = this.#lastValue
      this.#lastValue = this.tokenCount
      this.tokenOffsets[++this.tokenCount] = this.keyLength
    }
    const begins = !this.afterValue
    this.afterValue = true
    this.#lastNumberedWord = -1
    this.#addPiece(start, end, kind)
    if (begins) this.#fold()
  }

  /** Adds a word. A masked word equal to the one before it joins the same token. */
  protected addWord(offset: number, kind: number, { start, end }: ScannedPiece): void {
    this.key[this.keyLength++] = TOKEN_END
    if (kind === NUMBERED_WORD) {
      for (let i = start; i < end; i++)
        if (charClassOf(this.text.charCodeAt(i)) === DIGIT) this.mix(this.text.charCodeAt(i))
    }
    if (kind === NUMBERED_WORD && this.#repeats(offset)) this.keyLength = offset
    else this.tokenOffsets[++this.tokenCount] = this.keyLength
    this.#lastNumberedWord = kind === NUMBERED_WORD ? (this.tokenOffsets[this.tokenCount - 1] as number) : -1
    this.afterValue = false
    this.#addPiece(start, end, kind)
    this.#fold()
  }

  /**
   * Removes the last tokens when they repeat those before them; their pieces join the token before. The distance of the
   * last two runs of values is the size of the group, or half of it.
   */
  #fold(): void {
    const size = this.#lastValue - this.#valueBefore
    if (size > MAX_GROUP || this.tokenCount - this.#lastValue > MAX_GROUP) return
    if (this.#repeatsGroup(size)) this.#removeGroup(size)
    else if (size * 2 === MAX_GROUP && this.#repeatsGroup(MAX_GROUP)) this.#removeGroup(MAX_GROUP)
  }

  /** Returns whether the last `size` tokens, which hold a value, are equal to those before them. */
  #repeatsGroup(size: number): boolean {
    const { key, tokenOffsets, tokenCount, keyLength } = this
    if (2 * size > tokenCount || this.#lastValue < tokenCount - size) return false
    const from = tokenOffsets[tokenCount - size] as number
    const length = keyLength - from
    if (length !== from - (tokenOffsets[tokenCount - 2 * size] as number)) return false
    for (let i = from; i < keyLength; i++) if (key[i] !== key[i - length]) return false
    return true
  }

  #removeGroup(size: number): void {
    const kept = this.tokenCount - size
    for (let piece = this.pieceCount - 1; (this.tokenOfPiece[piece] as number) >= kept; piece--)
      this.tokenOfPiece[piece] = kept - 1
    this.tokenCount = kept
    this.keyLength = this.tokenOffsets[kept] as number
    this.#lastValue -= size
    this.#valueBefore -= size
    if (this.#lastNumberedWord >= 0) this.#lastNumberedWord = this.tokenOffsets[kept - 1] as number
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
