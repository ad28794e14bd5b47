/** A stretch of a text that is to be fitted; the texts of all pieces, in order, are what may be sent. */
export interface Piece {
  readonly text: string
  /** Where it came from: offset in the original, in UTF-16 units. */
  readonly sourceOffset: number
  /** An entity, a tag, a fence: not to be cut inside. */
  readonly atomic: boolean
  /** UTF-16 units that a reader sees of it. */
  readonly visible: number
  /** What has to follow when the text is cut after this piece. */
  readonly closers: string
}

/** Splits a text by its markup, lazily: of a long text only the beginning is looked at. */
export type PieceSplitter = (text: string) => Generator<Piece, void>

/** Tags that are open, innermost last. */
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

  /** Closes the innermost `name` and all inside it; the closing tags, or undefined when none is open. */
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
