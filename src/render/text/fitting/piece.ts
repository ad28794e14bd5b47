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
const piece = (text: string, sourceOffset: number, state: Pick<Piece, 'atomic' | 'closers'>): Piece => ({
  ...state,
  text,
  sourceOffset,
  visible: text.length,
})

/** Splits a text by its markup, lazily, so that only the start of a long text is scanned. */
export type PieceSplitter = (text: string) => Generator<Piece, void>

/** Reads a token; it may move `lastIndex`. Returns what differs from the text up to there; undefined: it is no piece of its own. */
type Take = (token: RegExpExecArray, scanner: RegExp) => Partial<Pick<Piece, 'text' | 'visible'>> | undefined

/** Splits a text at its tokens, which are atomic. `closers`: those behind the last token that was taken. */
export function* splitAt(tokens: RegExp, text: string, closers: () => string, take: Take): Generator<Piece, void> {
  const scanner = new RegExp(tokens)
  let done = 0
  for (let token = scanner.exec(text); token !== null; token = scanner.exec(text)) {
    const { index } = token
    const before = { atomic: false, closers: closers() }
    const taken = take(token, scanner)
    if (taken === undefined) continue
    if (index > done) yield piece(text.slice(done, index), done, before)
    done = scanner.lastIndex
    yield { ...piece(text.slice(index, done), index, { atomic: true, closers: closers() }), ...taken }
  }
  if (done < text.length) yield piece(text.slice(done), done, { atomic: false, closers: closers() })
}

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
