/** A part of a text that is to be fitted. The texts of all pieces in order are the corrected text. */
export interface Piece {
  readonly text: string
  /** Offset in the original text, in UTF-16 units. */
  readonly sourceOffset: number
  /** An entity, a tag or a fence, which must not be cut. */
  readonly atomic: boolean
  /** Number of visible UTF-16 units. */
  readonly visible: number
  /** Text that closes open markup when the text is cut after this piece. */
  readonly closers: string
}

/** Returns a piece whose whole text is visible. */
export const piece = (text: string, sourceOffset: number, state: Pick<Piece, 'atomic' | 'closers'>): Piece => ({
  ...state,
  text,
  sourceOffset,
  visible: text.length,
})

/** Splits a text by its markup, lazily, so that only the start of a long text is scanned. */
export type PieceSplitter = (text: string) => Generator<Piece, void>

/** Stack of open tags, innermost last. */
export class OpenTags {
  readonly #open: { readonly name: string; readonly closersBefore: string }[] = []
  #closers = ''

  get closers(): string {
    return this.#closers
  }

  push(name: string): void {
    this.#open.push({ name, closersBefore: this.#closers })
    this.#closers = `</${name}>${this.#closers}`
  }

  /** Closes the innermost `name` and all tags inside it. Returns the closing tags; undefined when no `name` is open. */
  pop(name: string): string | undefined {
    let at = this.#open.length - 1
    while (at >= 0 && this.#open[at]?.name !== name) at--
    const found = this.#open[at]
    if (!found) return undefined
    const closing = this.#closers.slice(0, this.#closers.length - found.closersBefore.length)
    this.#open.length = at
    this.#closers = found.closersBefore
    return closing
  }
}
